-- End one dead letter.
INSERT INTO dead_letter_end BY NAME
SELECT id, (SELECT coalesce(max(revision), 0) + 1 FROM dead_letter_end) AS revision
FROM current_dead_letter
WHERE id = $id
