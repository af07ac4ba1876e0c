-- What is the score of each scored sample of these runs by one metric, and how did it fail?
-- Unscored samples are absent, and so are the fresh samples for the severity gate, whose number is above that of a repeat.
WITH night AS (
    SELECT unnest($runs::VARCHAR[]) AS run_id, unnest(range(len($runs::VARCHAR[]))) AS night
)
SELECT night.night, batch.number AS "case", metric_sample.sample = run.samples AS repeated, metric_sample.value,
    CASE WHEN NOT passed AND failure_category <> 'none' THEN failure_category END AS failure_category
FROM night
JOIN run ON run.id = night.run_id
JOIN metric_sample ON metric_sample.run_id = run.id AND metric_sample.sample <= run.samples
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
    AND eval_case.case_id = metric_sample.case_id
JOIN batch ON batch.case_id = eval_case.case_id AND batch.content_mac = eval_case.content_mac
WHERE metric_sample.metric = $metric AND metric_sample.value IS NOT NULL
