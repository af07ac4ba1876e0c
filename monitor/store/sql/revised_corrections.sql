-- Which corrections does the batch revise or override?
SELECT batch.id
FROM batch
JOIN current_feedback AS signal ON signal.id = batch.id
WHERE batch."at" >= signal."at"
    AND (signal.kind, signal.text, signal.expected, signal.failure_category, signal.is_correction)
    IS DISTINCT FROM (batch.kind, batch.text, batch.expected, batch.failure_category, batch.is_correction)
UNION ALL
SELECT overrides FROM batch WHERE overrides IS NOT NULL
