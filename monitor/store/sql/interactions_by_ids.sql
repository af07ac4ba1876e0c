-- Which interactions have the ids of the batch?
SELECT interaction.* FROM interaction SEMI JOIN batch USING (id)
