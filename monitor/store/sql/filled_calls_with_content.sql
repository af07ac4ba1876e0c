-- Which calls that were filled from another report have their own texts now?
SELECT interaction.*
FROM current_interaction AS interaction
SEMI JOIN batch ON batch.trace_id = interaction.trace_id AND batch.span_id = interaction.span_id
WHERE interaction.received_at >= $spans_since AND own_values IS NOT NULL
