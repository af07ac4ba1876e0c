-- Mark every open order as done, because this file was written after them.
UPDATE compaction SET compacted_at = $at WHERE compacted_at IS NULL
