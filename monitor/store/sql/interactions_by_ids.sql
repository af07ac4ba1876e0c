-- Which interactions have the ids of the batch?
SELECT interaction.* FROM current_interaction AS interaction SEMI JOIN batch USING (id)
