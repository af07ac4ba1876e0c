-- Which calls are these signals corrections of, or the signals that they override?
SELECT DISTINCT linked_interaction_id AS id
FROM feedback
WHERE is_correction AND linked_interaction_id IS NOT NULL AND (
    id IN (SELECT id FROM batch)
    OR id IN (SELECT overrides FROM feedback WHERE overrides IS NOT NULL AND id IN (SELECT id FROM batch))
)
