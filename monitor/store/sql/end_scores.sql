-- End the scores of the samples of the batch.
INSERT INTO score_end BY NAME
SELECT DISTINCT run_id, case_id, sample FROM batch
