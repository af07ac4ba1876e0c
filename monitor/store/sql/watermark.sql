-- How many commits does the database itself count, and what is the newest entry of its audit log?
SELECT database_id, commits, changed_rows, last_at, coalesce(audit_number, 0) AS audit_number,
    coalesce(audit_hash, repeat('0', 64)) AS audit_hash
FROM watermark
