-- Fill calls with values of other reports of the same call, or restore the original values.
UPDATE interaction
SET response_id = batch.response_id, provider = batch.provider, request_model = batch.request_model,
    response_model = batch.response_model, system_fingerprint = batch.system_fingerprint, input_tokens = batch.input_tokens,
    output_tokens = batch.output_tokens, cached_input_tokens = batch.cached_input_tokens,
    reasoning_tokens = batch.reasoning_tokens, usage_source = batch.usage_source, ttft_ms = batch.ttft_ms,
    temperature = batch.temperature, top_p = batch.top_p, max_tokens = batch.max_tokens, seed = batch.seed,
    category = batch.category, duration_ms = batch.duration_ms, conversation_id = batch.conversation_id,
    conversation_source = batch.conversation_source, user_id = batch.user_id, user_source = batch.user_source,
    prompt_id = batch.prompt_id, prompt_version = batch.prompt_version, prompt_hash = batch.prompt_hash,
    system_prompt = batch.system_prompt, input_messages = batch.input_messages, output_messages = batch.output_messages,
    input_text = batch.input_text, output_text = batch.output_text, documents = batch.documents, cost_usd = batch.cost_usd,
    cost_source = batch.cost_source, price_table = batch.price_table, error_type = batch.error_type,
    error_class = batch.error_class, finish_reason = batch.finish_reason, finish_reason_raw = batch.finish_reason_raw,
    status = batch.status, content_state = batch.content_state, identity = batch.identity, refusal = batch.refusal,
    own_values = batch.own_values
FROM batch
WHERE interaction.id = batch.id
