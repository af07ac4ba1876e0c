-- Writes an alert as it is now, whether it is new or not (a small control table: a key is fine).
INSERT OR REPLACE INTO alert BY NAME
SELECT * FROM batch
