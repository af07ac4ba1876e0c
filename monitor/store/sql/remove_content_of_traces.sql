-- Removes texts that arrived apart in the batch's traces, unless their span is an interaction that stays.
DELETE FROM span_content
WHERE trace_id IN (SELECT trace_id FROM batch WHERE trace_id IS NOT NULL)
    AND NOT EXISTS (
        FROM interaction
        WHERE interaction.trace_id = span_content.trace_id AND interaction.span_id = span_content.span_id
    )
