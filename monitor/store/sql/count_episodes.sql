-- How often did alerts of this key fire and resolve since this time?
SELECT count(*) AS episodes
FROM alert
WHERE dedup_key = $dedup_key AND state = 'resolved' AND fired_at IS NOT NULL AND resolved_at >= $since
