-- Remove texts that arrived separately in the traces of the batch, unless the interaction of their span stays.
DELETE FROM span_content
WHERE trace_id IN (SELECT trace_id FROM batch WHERE trace_id IS NOT NULL)
    AND NOT EXISTS (
        FROM interaction
        WHERE interaction.trace_id = span_content.trace_id AND interaction.span_id = span_content.span_id
    )
