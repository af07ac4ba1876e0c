-- Which outcomes of the batch are new to the run? They are appended.
INSERT INTO outcome BY NAME
SELECT batch.*
FROM batch
ANTI JOIN (SELECT case_id, sample FROM outcome WHERE run_id = $run_id) AS known USING (case_id, sample)
