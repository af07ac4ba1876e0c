-- Which alert about the scores of the set is open? A severity gate has alerts of its own.
SELECT *
FROM alert
WHERE deployment = $deployment AND set_name = $set_name AND rule <> 'SeverityGate' AND state IN ('pending', 'firing')
ORDER BY pending_since DESC, id DESC
LIMIT 1
