-- Whose turn is it to be asked once more? Counted on, so that no schedule meets the same cases again and again.
SELECT coalesce(max(turn) + 1, 0) AS turn
FROM run
WHERE deployment = $deployment AND set_name = $set_name AND repeats > 0
