-- Remove the spending of removed runs that no budget counts.
DELETE FROM replay_spend
WHERE "at" < $before AND NOT EXISTS (FROM run WHERE run.id = split_part(replay_spend.run_id, '/', 1))
