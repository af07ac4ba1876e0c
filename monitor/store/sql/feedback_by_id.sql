-- What is the signal with this id?
SELECT * FROM current_feedback WHERE id = $id
