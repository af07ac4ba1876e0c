-- Replace signals whose sender sent them again under the same id. The link stays.
UPDATE feedback
SET "at" = batch."at", kind = batch.kind, source = batch.source, value = batch.value, text = batch.text,
    comment = batch.comment, expected = batch.expected, failure_category = batch.failure_category,
    is_correction = batch.is_correction, name = batch.name, label = batch.label, score = batch.score,
    record = batch.record
FROM batch
WHERE feedback.id = batch.id AND batch."at" >= feedback."at"
    AND (feedback.kind, feedback.source, feedback.value, feedback.text, feedback.comment, feedback.expected,
        feedback.failure_category, feedback.name, feedback.label, feedback.score, feedback.record)
    IS DISTINCT FROM (batch.kind, batch.source, batch.value, batch.text, batch.comment, batch.expected,
        batch.failure_category, batch.name, batch.label, batch.score, batch.record)
