-- With which scorers, at which versions, was each of these runs scored?
SELECT run_id, string_agg(DISTINCT scorer || ' ' || scorer_version, ', ' ORDER BY scorer || ' ' || scorer_version) AS judge
FROM score
WHERE run_id IN (SELECT unnest($runs::VARCHAR[]))
GROUP BY run_id
