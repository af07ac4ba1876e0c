-- Insert the id of the database before its first commit.
INSERT INTO watermark VALUES ($database_id, $commits, $changed_rows, $last_at, $audit_number, $audit_hash)
