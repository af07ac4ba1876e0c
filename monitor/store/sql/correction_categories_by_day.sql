-- How many corrections of each UTC day have each failure category, in this version of the taxonomy?
SELECT CAST("proposed_at" AT TIME ZONE 'UTC' AS DATE) AS "day", failure_category, count(*) AS corrections
FROM candidate
WHERE deployment = $deployment AND taxonomy = $taxonomy AND proposed_at >= $since AND failure_category IS NOT NULL
GROUP BY ALL
ORDER BY "day", corrections DESC, failure_category
