-- Which trace prefixes can still arrive as echoes of a replay?
SELECT trace_prefix, id
FROM run
WHERE state IN ('planned', 'running') OR finished_at >= $since
