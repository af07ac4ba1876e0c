-- Remove these runs: a run without outcomes must not serve as a baseline.
DELETE FROM run WHERE id IN (SELECT unnest($ids))
