-- Removes the spending of runs that are gone, once no budget counts it any more.
DELETE FROM replay_spend
WHERE "at" < $before AND NOT EXISTS (FROM run WHERE run.id = split_part(replay_spend.run_id, '/', 1))
