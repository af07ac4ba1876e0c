-- Append each report of the batch with its kept report; NULL for a report that is kept.
INSERT INTO interaction BY NAME
SELECT call.* REPLACE (batch.kept AS duplicate_of), $revision AS revision
FROM current_interaction AS call
JOIN batch ON batch.id = call.id
WHERE call.received_at >= $since
