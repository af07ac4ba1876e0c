-- How often were rows erased, and when last?
SELECT count(*) AS count, max("at") AS last_at FROM compaction
