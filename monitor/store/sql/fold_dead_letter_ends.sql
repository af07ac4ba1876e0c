-- Remove the rows of dead letters that were removed.
DELETE FROM dead_letter
USING (SELECT id, max(revision) AS revision FROM dead_letter_end GROUP BY id) AS ended
WHERE ended.id = dead_letter.id AND ended.revision > dead_letter.revision
