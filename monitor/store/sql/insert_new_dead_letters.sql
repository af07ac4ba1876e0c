-- Which malformed records of the batch are new? They are appended. A resent record is not new, unless it was removed.
INSERT INTO dead_letter BY NAME
SELECT batch.*, (SELECT coalesce(max(revision), 0) FROM dead_letter_end) AS revision
FROM batch
ANTI JOIN (SELECT id FROM current_dead_letter WHERE received_at BETWEEN $since AND $until) AS known USING (id)
