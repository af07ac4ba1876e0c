-- Which compaction has this id?
SELECT * FROM compaction WHERE id = $id
