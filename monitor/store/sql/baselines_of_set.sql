-- Which baselines does the set have, the newest first?
SELECT *
FROM baseline
WHERE deployment = $deployment AND set_name = $set_name
ORDER BY counts_from DESC, "at" DESC, id DESC
