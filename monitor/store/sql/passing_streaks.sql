-- In how many consecutive complete runs before this one did each of its cases pass, by its verdict or by $metric?
WITH now AS (
    SELECT id, set_name, revision, finished_at FROM run WHERE id = $before_run
),
history AS (
    SELECT run.id, row_number() OVER (ORDER BY run.finished_at DESC, run.id DESC) AS back
    FROM run, now
    WHERE run.deployment = $deployment AND run.set_name = $set_name AND run.state = 'complete' AND run.id <> now.id
        AND (now.finished_at IS NULL OR (run.finished_at, run.id) < (now.finished_at, now.id))
    ORDER BY back
    LIMIT 365 -- one year of nights
),
past AS (
    SELECT run_id, case_id, content_mac, passed
    FROM case_result
    WHERE $metric::VARCHAR IS NULL AND run_id IN (SELECT id FROM history)
    UNION ALL
    SELECT run.id AS run_id, eval_case.case_id, eval_case.content_mac, 
        2 * count(*) FILTER (WHERE metric_sample.passed) >= count(metric_sample.value) AND count(metric_sample.value) > 0 AS passed
    FROM metric_sample
    JOIN run ON run.id = metric_sample.run_id AND metric_sample.sample < run.samples
    JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
        AND eval_case.case_id = metric_sample.case_id
    WHERE metric_sample.metric = $metric::VARCHAR AND run.id IN (SELECT id FROM history)
    GROUP BY run.id, eval_case.case_id, eval_case.content_mac
),
passed AS (
    -- A case with other content is another case: its history starts again.
    SELECT past.case_id, history.back, row_number() OVER (PARTITION BY past.case_id ORDER BY history.back) AS place
    FROM past
    JOIN history ON history.id = past.run_id
    JOIN now ON true
    JOIN eval_case ON eval_case.set_name = now.set_name AND eval_case.revision = now.revision
        AND eval_case.case_id = past.case_id AND eval_case.content_mac = past.content_mac
    WHERE past.passed
)
-- The n newest runs were all passed if the n-th newest one that was passed is n runs back.
SELECT eval_case.case_id, count(*) FILTER (WHERE passed.back = passed.place) AS nights
FROM now
JOIN eval_case ON eval_case.set_name = now.set_name AND eval_case.revision = now.revision
LEFT JOIN passed ON passed.case_id = eval_case.case_id
GROUP BY eval_case.case_id
