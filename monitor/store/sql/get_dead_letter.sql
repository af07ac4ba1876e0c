-- Which dead letter has this id?
SELECT * FROM current_dead_letter WHERE id = $id
