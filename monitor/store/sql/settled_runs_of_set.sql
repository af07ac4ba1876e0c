-- Which settled runs replayed the set?
SELECT run_id FROM settled_run JOIN run ON run.id = run_id WHERE run.set_name = $name
