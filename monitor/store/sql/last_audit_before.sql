-- Which entry is the last one that is too old? Entries after the first one that is young enough are kept.
SELECT *
FROM audit_entry
WHERE number < coalesce((SELECT min(number) FROM audit_entry WHERE "at" >= $before), 9223372036854775807)
ORDER BY number DESC
LIMIT 1
