-- What have the replays of each deployment spent since then?
SELECT deployment, CAST(sum(requests) AS BIGINT) AS requests, CAST(sum(tokens) AS BIGINT) AS tokens, sum(usd) AS usd
FROM replay_spend
WHERE "at" >= $since
GROUP BY deployment
