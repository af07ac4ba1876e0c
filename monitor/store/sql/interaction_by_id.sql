-- Which interaction has this id?
SELECT * FROM interaction WHERE id = $id LIMIT 1
