-- Marks every open order as done: this file was written after them.
UPDATE rewrite SET rewritten_at = $at WHERE rewritten_at IS NULL
