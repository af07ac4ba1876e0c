-- Which change has this id?
SELECT * FROM change WHERE id = $id
