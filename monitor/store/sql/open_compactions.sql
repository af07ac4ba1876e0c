-- Which compactions are ordered and not done, the oldest first?
SELECT * FROM compaction WHERE compacted_at IS NULL ORDER BY "at", id
