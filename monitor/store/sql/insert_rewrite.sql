-- Orders a rewrite of the file.
INSERT INTO rewrite (id, kind, "at", who, user_hash, removed)
VALUES ($id, $kind, $at, $who, $user_hash, $removed)
