-- How many commits does the database itself count?
SELECT database_id, commits, changed_rows, last_at FROM watermark
