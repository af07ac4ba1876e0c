-- Which interactions of the batch are new? They are appended.
INSERT INTO interaction BY NAME
SELECT batch.*
FROM batch
ANTI JOIN (SELECT id FROM interaction WHERE started_at BETWEEN $since AND $until) AS known USING (id)
