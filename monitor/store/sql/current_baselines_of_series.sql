-- From which day on do the days of each production series of the deployment count?
SELECT *
FROM baseline
WHERE deployment = $deployment AND series IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY series ORDER BY "at" DESC, id DESC) = 1
