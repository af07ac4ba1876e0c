-- Which versions of the batch are new to their deployment? They are added.
INSERT INTO version BY NAME
SELECT batch.* FROM batch ANTI JOIN version USING (deployment, id)
