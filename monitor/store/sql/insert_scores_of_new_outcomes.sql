-- Which scores of the batch belong to outcomes that are new to the run? They are appended.
INSERT INTO score BY NAME
SELECT batch.*
FROM batch
ANTI JOIN (SELECT case_id, sample FROM outcome WHERE run_id = $run_id) AS known USING (case_id, sample)
