-- Which revisions of the set contain one of these cases, oldest first?
SELECT *
FROM eval_set
WHERE name = $name AND revision IN (
    SELECT revision FROM eval_case WHERE set_name = $name AND case_id IN (SELECT unnest($ids))
)
ORDER BY created_at
