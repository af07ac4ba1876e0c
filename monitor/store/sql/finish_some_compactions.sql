-- Mark these orders as done, because no file has their rows any more.
UPDATE compaction SET compacted_at = $at WHERE id IN (SELECT unnest($ids))
