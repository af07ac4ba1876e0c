-- Store the number of commits, including this one.
UPDATE watermark SET commits = $commits, changed_rows = $changed_rows, last_at = $last_at
