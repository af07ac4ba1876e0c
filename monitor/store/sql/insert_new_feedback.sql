-- Which signals of the batch are new? They are appended.
INSERT INTO feedback BY NAME
SELECT batch.*
FROM batch
ANTI JOIN (SELECT id FROM feedback WHERE "at" BETWEEN $since AND $until) AS known USING (id)
