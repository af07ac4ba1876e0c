-- Removes interactions beyond the limits of their deployment.
-- One that a candidate or a case is made of stays: who asked must stay known as long as the question is kept.
DELETE FROM interaction
WHERE rowid IN (
    SELECT placed.row_id
    FROM (
        SELECT rowid AS row_id, deployment, received_at,
            row_number() OVER (PARTITION BY deployment ORDER BY received_at DESC, id DESC) AS place
        FROM interaction
    ) AS placed
    JOIN batch ON batch.deployment = placed.deployment
    WHERE placed.received_at < batch.before OR placed.place > batch.max_rows
)
AND id NOT IN (SELECT interaction_id FROM candidate)
AND id NOT IN (SELECT interaction_id FROM dynamic_case WHERE interaction_id IS NOT NULL)
