-- End the outcomes of the samples of the batch.
INSERT INTO outcome_end BY NAME
SELECT DISTINCT run_id, case_id, sample FROM batch
