-- Fill interactions with the texts that arrived separately.
UPDATE interaction
SET system_prompt = batch.system_prompt, input_messages = batch.input_messages,
    output_messages = batch.output_messages, input_text = batch.input_text, output_text = batch.output_text,
    finish_reason = batch.finish_reason, finish_reason_raw = batch.finish_reason_raw, status = batch.status,
    content_state = batch.content_state, prompt_hash = batch.prompt_hash, identity = batch.identity, refusal = batch.refusal
FROM batch
WHERE interaction.id = batch.id
