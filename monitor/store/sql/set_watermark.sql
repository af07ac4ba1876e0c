-- Store the number of commits, including this one, and the newest entry of the audit log.
UPDATE watermark
SET commits = $commits, changed_rows = $changed_rows, last_at = $last_at,
    audit_number = $audit_number, audit_hash = $audit_hash
