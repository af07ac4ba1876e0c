-- What is the newest finding of each condition: of a rule, a deployment and a source?
SELECT *
FROM finding
WHERE source IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY rule, deployment, source ORDER BY "at" DESC, id DESC) = 1
ORDER BY rule, deployment, source
