-- What was said last about a production series?
SELECT *
FROM finding
WHERE deployment = $deployment AND series = $series
ORDER BY "at" DESC, id DESC
LIMIT 1
