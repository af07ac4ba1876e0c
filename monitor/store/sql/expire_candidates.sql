-- Removes candidates beyond their deployment's limits. Accepted ones are what a set is made of: they stay.
DELETE FROM candidate
WHERE state <> 'accepted' AND id IN (
    SELECT placed.id
    FROM (
        SELECT id, deployment, proposed_at,
            row_number() OVER (PARTITION BY deployment ORDER BY proposed_at DESC, id DESC) AS place
        FROM candidate
        WHERE state <> 'accepted'
    ) AS placed
    JOIN batch ON batch.deployment = placed.deployment
    WHERE placed.proposed_at < batch.before OR placed.place > batch.max_rows
)
