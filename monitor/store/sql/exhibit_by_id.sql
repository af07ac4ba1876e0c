-- Which exhibit has this id?
SELECT * FROM exhibit WHERE id = $id
