-- Keeps an exhibit.
INSERT INTO exhibit (id, deployment, kind, "at", reference_since, since, "until", state, reason, path, sha256, bytes, summary)
VALUES ($id, $deployment, $kind, $at, $reference_since, $since, $until, $state, $reason, $path, $page_digest, $bytes, $summary)
