-- Remove signals about the interactions of the batch: linked ones, and unlinked ones with one of their keys.
DELETE FROM feedback
WHERE linked_interaction_id IN (SELECT id FROM batch)
    OR interaction_id IN (SELECT id FROM batch)
    OR (linked_interaction_id IS NULL AND (
        trace_id IN (SELECT trace_id FROM batch WHERE trace_id IS NOT NULL)
        OR response_id IN (SELECT response_id FROM batch WHERE response_id IS NOT NULL)
        OR conversation_id IN (SELECT conversation_id FROM batch WHERE conversation_id IS NOT NULL)
    ))
