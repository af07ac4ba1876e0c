-- Store the result of each scored case of these runs. DuckDB applies this filter to the scores before they are folded.
INSERT INTO case_verdict BY NAME
SELECT run_id, case_id, value, samples, passed, failure_category
FROM unsettled_case
WHERE list_contains($run_ids::VARCHAR[], run_id)
