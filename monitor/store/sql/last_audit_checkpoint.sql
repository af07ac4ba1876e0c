-- Which checkpoint names the last entry that retention removed?
SELECT *
FROM audit_entry
WHERE kind = $kind
ORDER BY number DESC
LIMIT 1
