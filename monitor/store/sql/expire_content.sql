-- Remove texts beyond their limits whose span never arrived.
DELETE FROM span_content
WHERE received_at < $before OR rowid IN (
    SELECT placed.row_id
    FROM (SELECT rowid AS row_id, row_number() OVER (ORDER BY received_at DESC, rowid DESC) AS place FROM span_content) AS placed
    WHERE placed.place > $max_rows
)
