-- Mark findings as processed by alerting.
UPDATE finding SET alerted = true WHERE id IN (SELECT unnest($ids::VARCHAR[]))
