-- Remove dead letters beyond their limits.
DELETE FROM dead_letter
WHERE received_at < $before OR rowid IN (
    SELECT placed.row_id
    FROM (SELECT rowid AS row_id, row_number() OVER (ORDER BY received_at DESC, id DESC) AS place FROM dead_letter) AS placed
    WHERE placed.place > $max_rows
)
