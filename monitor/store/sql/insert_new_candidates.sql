-- Which candidates of the batch ask something new? They are added.
INSERT INTO candidate BY NAME
SELECT batch.* FROM batch ANTI JOIN candidate USING (deployment, content_hash)
