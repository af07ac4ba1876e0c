-- Remove candidates beyond the limits of their deployment. Accepted candidates stay, because a set is built from them.
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
