-- Remove the span contexts of the user, or of a trace of the batch.
DELETE FROM span_context
WHERE list_contains($user_ids::VARCHAR[], user_id) OR trace_id IN (SELECT trace_id FROM batch WHERE trace_id IS NOT NULL)
