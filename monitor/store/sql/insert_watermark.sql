-- Which database is this, before its first commit is counted?
INSERT INTO watermark VALUES ($database_id, $commits, $changed_rows, $last_at)
