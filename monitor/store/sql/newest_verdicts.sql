-- When was each set last judged to be as good, better or worse?
SELECT deployment, set_name, max("at") AS "at"
FROM finding
WHERE set_name IS NOT NULL AND verdict IN ('ok', 'improvement', 'regression')
GROUP BY deployment, set_name
