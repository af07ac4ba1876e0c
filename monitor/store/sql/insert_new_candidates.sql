-- Which candidates of the batch have a new question? They are added.
INSERT INTO candidate BY NAME
SELECT batch.* FROM batch ANTI JOIN candidate USING (deployment, content_hash)
