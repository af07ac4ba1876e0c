-- How many calls with a case of the set were sent to which endpoint?
SELECT provider, CAST(sum(calls) AS BIGINT) AS calls
FROM case_replay
WHERE set_name = $name
GROUP BY provider
ORDER BY calls DESC, provider
