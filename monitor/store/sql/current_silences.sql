-- Which silences are active, or begin later?
SELECT * FROM silence WHERE expired_at IS NULL AND ends_at > $now ORDER BY starts_at, id
