-- Which finding has this id?
SELECT * FROM finding WHERE id = $id
