-- Insert the changes of the batch.
INSERT INTO change BY NAME
SELECT batch.* FROM batch
