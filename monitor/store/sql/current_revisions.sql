-- What kind is each set, how many cases does its current revision have, and since when?
SELECT name, kind, cases, created_at
FROM eval_set
QUALIFY row_number() OVER (PARTITION BY name ORDER BY created_at DESC, revision DESC) = 1
