-- Append the signals again that their sender sent again under the same id. The link stays.
INSERT INTO feedback BY NAME
SELECT signal.* REPLACE (
    batch."at" AS "at", batch.kind AS kind, batch.source AS source, batch.value AS value, batch.text AS text,
    batch.comment AS comment, batch.expected AS expected, batch.failure_category AS failure_category,
    batch.is_correction AS is_correction, batch.name AS name, batch.label AS label, batch.score AS score,
    batch.record AS record
), $revision AS revision
FROM batch
JOIN current_feedback AS signal ON signal.id = batch.id
WHERE batch."at" >= signal."at"
    AND (signal.kind, signal.source, signal.value, signal.text, signal.comment, signal.expected,
        signal.failure_category, signal.name, signal.label, signal.score, signal.record)
    IS DISTINCT FROM (batch.kind, batch.source, batch.value, batch.text, batch.comment, batch.expected,
        batch.failure_category, batch.name, batch.label, batch.score, batch.record)
