-- Append each duplicate with its kept report, and the duplicates of a report that is no longer kept.
INSERT INTO interaction BY NAME
SELECT call.* REPLACE (batch.kept AS duplicate_of), $revision AS revision
FROM current_interaction AS call
JOIN batch ON batch.id = coalesce(call.duplicate_of, call.id)
WHERE call.received_at >= $since
