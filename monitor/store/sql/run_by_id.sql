-- Which run has this id?
SELECT * FROM run WHERE id = $id
