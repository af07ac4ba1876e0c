-- Which alert has this id?
SELECT * FROM alert WHERE id = $id
