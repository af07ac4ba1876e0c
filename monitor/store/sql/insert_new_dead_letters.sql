-- Which malformed records of the batch are new? They are appended. A resent record is not new.
INSERT INTO dead_letter BY NAME
SELECT batch.*
FROM batch
ANTI JOIN (SELECT id FROM dead_letter WHERE received_at BETWEEN $since AND $until) AS known USING (id)
