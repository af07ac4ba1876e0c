-- Which dead letter has this id?
SELECT * FROM dead_letter WHERE id = $id
