-- Insert a traffic report.
INSERT INTO traffic_report (id, deployment, kind, "at", reference_since, since, "until", state, reason, path, sha256, bytes, summary)
VALUES ($id, $deployment, $kind, $at, $reference_since, $since, $until, $state, $reason, $path, $page_digest, $bytes, $summary)
