-- Which events does the judge of a scorer have, the newest first?
SELECT *
FROM judge_event
WHERE deployment = $deployment AND set_name = $set_name AND scorer = $scorer
ORDER BY "at" DESC, id DESC
LIMIT $limit
