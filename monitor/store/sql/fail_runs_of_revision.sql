-- Fail the open runs of a revision without any case left.
UPDATE run
SET state = 'failed', finished_at = $at, error = $error
WHERE set_name = $name AND revision = $revision AND state IN ('planned', 'running')
