-- Set the attributes that calls inherit from other spans.
UPDATE interaction
SET conversation_id = batch.conversation_id, conversation_source = batch.conversation_source, user_id = batch.user_id,
    user_source = batch.user_source, prompt_id = batch.prompt_id, prompt_version = batch.prompt_version,
    documents = batch.documents, identity = batch.identity
FROM batch
WHERE interaction.id = batch.id
