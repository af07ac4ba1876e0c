-- What is the newest finding of a production series?
SELECT *
FROM finding
WHERE deployment = $deployment AND series = $series
ORDER BY "at" DESC, id DESC
LIMIT 1
