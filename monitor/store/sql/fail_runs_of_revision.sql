-- Ends the runs that are not over: nothing is left of their revision.
UPDATE run
SET state = 'failed', finished_at = $at, error = $error
WHERE set_name = $name AND revision = $revision AND state IN ('planned', 'running')
