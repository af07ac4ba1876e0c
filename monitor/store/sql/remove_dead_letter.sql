-- Remove one dead letter.
DELETE FROM dead_letter WHERE id = $id
