-- What was last concluded about a source of records?
SELECT *
FROM finding
WHERE source = $source
ORDER BY "at" DESC, id DESC
LIMIT 1
