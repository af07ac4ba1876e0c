-- Which spans of the batch lack input or output texts and may get them?
SELECT interaction.*
FROM current_interaction AS interaction
SEMI JOIN batch ON batch.trace_id = interaction.trace_id AND batch.span_id = interaction.span_id
WHERE interaction.received_at >= $spans_since
    AND interaction.origin = 'production' AND interaction.content_state <> 'redacted'
    AND (interaction.content_state = 'absent' OR input_messages = '[]' OR output_messages = '[]')
