-- How many transactions does the database itself say it holds?
SELECT database_id, commits, changed_rows, last_at FROM watermark
