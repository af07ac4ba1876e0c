-- Append calls with values of other reports of the same call, or with their original values.
INSERT INTO interaction BY NAME
SELECT call.* REPLACE (
    batch.response_id AS response_id, batch.provider AS provider, batch.request_model AS request_model,
    batch.response_model AS response_model, batch.system_fingerprint AS system_fingerprint,
    batch.input_tokens AS input_tokens, batch.output_tokens AS output_tokens,
    batch.cached_input_tokens AS cached_input_tokens, batch.reasoning_tokens AS reasoning_tokens,
    batch.usage_source AS usage_source, batch.ttft_ms AS ttft_ms, batch.temperature AS temperature,
    batch.top_p AS top_p, batch.max_tokens AS max_tokens, batch.seed AS seed, batch.category AS category,
    batch.duration_ms AS duration_ms, batch.conversation_id AS conversation_id,
    batch.conversation_source AS conversation_source, batch.user_id AS user_id, batch.user_source AS user_source,
    batch.prompt_id AS prompt_id, batch.prompt_version AS prompt_version, batch.prompt_hash AS prompt_hash,
    batch.system_prompt AS system_prompt, batch.input_messages AS input_messages,
    batch.output_messages AS output_messages, batch.input_text AS input_text, batch.output_text AS output_text,
    batch.documents AS documents, batch.cost_usd AS cost_usd, batch.cost_source AS cost_source,
    batch.price_table AS price_table, batch.error_type AS error_type, batch.error_class AS error_class,
    batch.finish_reason AS finish_reason, batch.finish_reason_raw AS finish_reason_raw, batch.status AS status,
    batch.content_state AS content_state, batch.identity AS identity, batch.refusal AS refusal,
    batch.own_values AS own_values
), $revision AS revision
FROM current_interaction AS call
JOIN batch ON batch.id = call.id
WHERE call.received_at >= $since
