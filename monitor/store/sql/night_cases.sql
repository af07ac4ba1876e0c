-- Which cases, distinguished by content, do these runs contain? The category is that of the newest run.
WITH asked AS (
    SELECT set_name, revision, max(finished_at) AS last_asked
    FROM run
    WHERE id IN (SELECT unnest($runs::VARCHAR[]))
    GROUP BY set_name, revision
)
SELECT eval_case.case_id, eval_case.content_mac, arg_max(eval_case.category, asked.last_asked) AS category
FROM asked
JOIN eval_case ON eval_case.set_name = asked.set_name AND eval_case.revision = asked.revision
GROUP BY eval_case.case_id, eval_case.content_mac
ORDER BY eval_case.case_id, eval_case.content_mac
