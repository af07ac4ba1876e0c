-- Let the runs of a revision refer to the revision of the remaining cases. Open runs have fewer cases.
UPDATE run
SET revision = $new, repeats = CASE WHEN state IN ('planned', 'running') THEN least(repeats, $cases) ELSE repeats END, cases = CASE WHEN state IN ('planned', 'running') THEN $cases ELSE cases END
WHERE set_name = $name AND revision = $old
