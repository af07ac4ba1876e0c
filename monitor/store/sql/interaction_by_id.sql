-- Which interaction has this id?
SELECT * FROM current_interaction WHERE id = $id LIMIT 1
