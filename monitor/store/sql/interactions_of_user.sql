-- Which interactions belong to the user? Those with the id, and those without any id in the same trace or conversation.
WITH named AS (
    SELECT deployment, trace_id, conversation_id FROM interaction WHERE user_id IN (SELECT unnest($user_ids))
)
SELECT id, deployment, trace_id, span_id, response_id, conversation_id
FROM interaction
WHERE user_id IN (SELECT unnest($user_ids)) OR (user_id IS NULL AND (
    trace_id IN (SELECT trace_id FROM named WHERE trace_id IS NOT NULL)
    OR (deployment, conversation_id) IN (SELECT (deployment, conversation_id) FROM named WHERE conversation_id IS NOT NULL)
))
