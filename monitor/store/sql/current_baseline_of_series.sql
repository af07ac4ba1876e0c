-- From which day on do the days of the production series count?
SELECT *
FROM baseline
WHERE deployment = $deployment AND series = $series
ORDER BY "at" DESC, id DESC
LIMIT 1
