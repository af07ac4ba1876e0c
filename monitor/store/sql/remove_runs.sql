-- Removes these runs: without its outcomes a run must not serve as a baseline.
DELETE FROM run WHERE id IN (SELECT unnest($ids))
