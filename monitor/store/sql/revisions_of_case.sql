-- Which revisions of the set contain the case, the oldest first, and with which content?
SELECT eval_set.revision, eval_set.created_at, eval_set.origin, eval_case.content_mac, eval_case.part
FROM eval_case
JOIN eval_set ON eval_set.name = eval_case.set_name AND eval_set.revision = eval_case.revision
WHERE eval_case.set_name = $set_name AND eval_case.case_id = $case_id
ORDER BY eval_set.created_at, eval_set.revision
