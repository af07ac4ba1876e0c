-- Which findings about the subject of an alert are the newest until a time?
SELECT *
FROM finding
WHERE deployment = $deployment
    AND signal = $signal
    AND set_name IS NOT DISTINCT FROM $set_name::VARCHAR
    AND series IS NOT DISTINCT FROM $series::VARCHAR
    AND source IS NOT DISTINCT FROM $source::VARCHAR
    AND metric IS NOT DISTINCT FROM $metric::VARCHAR
    AND ($until::TIMESTAMPTZ IS NULL OR "at" <= $until)
ORDER BY "at" DESC, id DESC
LIMIT $limit
