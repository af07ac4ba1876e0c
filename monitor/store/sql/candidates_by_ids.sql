-- Which candidates have the batch's ids?
SELECT * FROM candidate WHERE id IN (SELECT id FROM batch)
