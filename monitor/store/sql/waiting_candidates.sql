-- How many candidates of each deployment wait for review, and since when?
SELECT deployment, count(*) AS count, min(proposed_at) AS oldest
FROM candidate
WHERE state = 'proposed'
GROUP BY deployment
ORDER BY deployment
