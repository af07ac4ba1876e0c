-- Append calls with the texts that arrived separately.
INSERT INTO interaction BY NAME
SELECT call.* REPLACE (
    batch.system_prompt AS system_prompt, batch.input_messages AS input_messages,
    batch.output_messages AS output_messages, batch.input_text AS input_text, batch.output_text AS output_text,
    batch.finish_reason AS finish_reason, batch.finish_reason_raw AS finish_reason_raw, batch.status AS status,
    batch.content_state AS content_state, batch.prompt_hash AS prompt_hash, batch.identity AS identity,
    batch.refusal AS refusal
), $revision AS revision
FROM current_interaction AS call
JOIN batch ON batch.id = call.id
WHERE call.received_at >= $since
