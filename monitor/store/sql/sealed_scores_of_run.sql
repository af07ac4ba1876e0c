-- What of the verdicts of the run is sealed?
SELECT run_id, case_id, sample, scorer, reason_sealed
FROM score
WHERE run_id = $run_id
