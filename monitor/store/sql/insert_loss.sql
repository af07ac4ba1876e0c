-- Store a loss that a start detected.
INSERT INTO loss (id, found_at, reason, commits, changed_rows, since, until)
VALUES ($id, $found_at, $reason, $commits, $changed_rows, $since, $until)
