-- Which silence has this id?
SELECT * FROM silence WHERE id = $id
