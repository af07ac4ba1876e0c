-- What is the newest finding of a source of records?
SELECT *
FROM finding
WHERE source = $source
ORDER BY "at" DESC, id DESC
LIMIT 1
