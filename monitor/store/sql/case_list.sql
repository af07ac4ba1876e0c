-- Which cases does the revision contain, without their content?
SELECT position, case_id, category, severity, content_mac, part, cluster
FROM eval_case
WHERE set_name = $set_name AND revision = $revision
ORDER BY position
