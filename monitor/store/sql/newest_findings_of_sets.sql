-- What is the newest finding about the scores of each eval set of the deployment?
SELECT *
FROM finding
WHERE deployment = $deployment AND set_name IS NOT NULL AND signal = 'score'
QUALIFY row_number() OVER (PARTITION BY set_name ORDER BY "at" DESC, id DESC) = 1
ORDER BY set_kind DESC, set_name
