-- Remove interactions beyond the limits of their deployment.
-- The interaction of a candidate or a case stays, because the user of a stored question must stay known.
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
