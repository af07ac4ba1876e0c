-- Which compactions were ordered and are not done, oldest first?
SELECT * FROM compaction WHERE compacted_at IS NULL ORDER BY "at", id
