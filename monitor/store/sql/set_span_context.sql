-- Append calls with the attributes that they inherit from other spans.
INSERT INTO interaction BY NAME
SELECT call.* REPLACE (
    batch.conversation_id AS conversation_id, batch.conversation_source AS conversation_source,
    batch.user_id AS user_id, batch.user_source AS user_source, batch.prompt_id AS prompt_id,
    batch.prompt_version AS prompt_version, batch.documents AS documents, batch.identity AS identity
), $revision AS revision
FROM current_interaction AS call
JOIN batch ON batch.id = call.id
WHERE call.received_at >= $since
