-- Remove signals beyond the limits of their deployment, and signals of removed interactions.
DELETE FROM feedback
WHERE rowid IN (
    SELECT placed.row_id
    FROM (
        SELECT rowid AS row_id, deployment, received_at,
            row_number() OVER (PARTITION BY deployment ORDER BY received_at DESC, id DESC) AS place
        FROM feedback
    ) AS placed
    JOIN batch ON batch.deployment = placed.deployment
    WHERE placed.received_at < batch.before OR placed.place > batch.max_rows
)
OR (linked_interaction_id IS NOT NULL AND linked_interaction_id NOT IN (SELECT id FROM interaction))
