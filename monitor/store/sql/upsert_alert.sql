-- Insert or update an alert (a small control table: a key is acceptable).
INSERT OR REPLACE INTO alert BY NAME
SELECT * FROM batch
