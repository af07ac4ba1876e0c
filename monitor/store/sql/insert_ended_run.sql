-- Insert the runs of the batch, which have ended.
INSERT INTO run BY NAME
SELECT batch.* FROM batch
