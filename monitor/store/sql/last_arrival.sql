-- When did the last production call of a deployment arrive that had none within a day? The newest blocks are read first.
SELECT received_at AS last_at
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND received_at < $day
ORDER BY received_at DESC
LIMIT 1
