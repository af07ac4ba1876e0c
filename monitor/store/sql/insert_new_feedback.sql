-- Which signals of the batch are new? They are appended.
-- A signal that was retracted is new. Its row comes after the end of the earlier one.
INSERT INTO feedback BY NAME
SELECT batch.*, coalesce(ended.revision, 0) AS revision
FROM batch
LEFT JOIN (SELECT id, max(revision) AS revision FROM feedback_end GROUP BY id) AS ended USING (id)
ANTI JOIN (
    SELECT feedback.id
    FROM feedback
    ANTI JOIN feedback_end AS ended ON ended.id = feedback.id AND ended.revision > feedback.revision
    WHERE "at" BETWEEN $since AND $until
) AS known USING (id)
