-- Append these scores to another run, with the values that are sealed for it.
INSERT INTO score BY NAME
SELECT moved.* REPLACE ($run_id AS run_id, batch.reason_sealed AS reason_sealed)
FROM current_score AS moved
JOIN batch ON batch.run_id = moved.run_id AND batch.case_id = moved.case_id AND batch.sample = moved.sample
    AND batch.scorer = moved.scorer AND batch.component IS NOT DISTINCT FROM moved.component
