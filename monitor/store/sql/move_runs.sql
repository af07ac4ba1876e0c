-- Lets the runs of a revision name what is left of it; those not over have fewer cases to ask.
UPDATE run
SET revision = $new, repeats = CASE WHEN state IN ('planned', 'running') THEN least(repeats, $cases) ELSE repeats END, cases = CASE WHEN state IN ('planned', 'running') THEN $cases ELSE cases END
WHERE set_name = $name AND revision = $old
