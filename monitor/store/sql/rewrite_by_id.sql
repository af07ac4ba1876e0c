-- Which rewrite has this id?
SELECT * FROM rewrite WHERE id = $id
