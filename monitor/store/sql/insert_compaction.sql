-- Order a compaction of the file.
INSERT INTO compaction (id, kind, "at", who, user_hash, removed)
VALUES ($id, $kind, $at, $who, $user_hash, $removed)
