-- What is the signal with this id?
SELECT * FROM feedback WHERE id = $id
