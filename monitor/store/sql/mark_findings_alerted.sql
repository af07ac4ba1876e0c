-- Marks findings as looked at by alerting.
UPDATE finding SET alerted = true WHERE id IN (SELECT unnest($ids::VARCHAR[]))
