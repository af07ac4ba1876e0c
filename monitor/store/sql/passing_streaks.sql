-- In how many consecutive complete runs before this one did each of its cases pass, by its verdict or by $metric?
-- With $cases, only these cases.
WITH now AS (
    SELECT id, set_name, revision, finished_at FROM run WHERE id = $before_run
),
history AS MATERIALIZED (
    -- Revisions are numbered: a join of their long names would take most of the time.
    SELECT run.id, run.revision, row_number() OVER (ORDER BY run.finished_at DESC, run.id DESC) AS back,
        dense_rank() OVER (ORDER BY run.revision) AS revision_number
    FROM run, now
    WHERE run.deployment = $deployment AND run.set_name = $set_name AND run.state = 'complete' AND run.id <> now.id
        AND (now.finished_at IS NULL OR (run.finished_at, run.id) < (now.finished_at, now.id))
    ORDER BY back
    LIMIT 365 -- one year of nights
),
wanted AS MATERIALIZED (
    SELECT eval_case.set_name, eval_case.case_id, eval_case.content_mac
    FROM now
    JOIN eval_case ON eval_case.set_name = now.set_name AND eval_case.revision = now.revision
    WHERE $cases::VARCHAR[] IS NULL OR eval_case.case_id IN (SELECT unnest($cases::VARCHAR[]))
),
same AS (
    -- A case with other content is another case: its history starts again.
    SELECT asked.revision_number, past.case_id
    FROM (SELECT DISTINCT revision, revision_number FROM history) AS asked
    JOIN eval_case AS past ON past.revision = asked.revision
    JOIN wanted ON past.set_name = wanted.set_name AND past.case_id = wanted.case_id
        AND past.content_mac = wanted.content_mac
),
verdict AS (
    SELECT history.back, history.revision_number, result.case_id
    FROM (FROM case_verdict UNION ALL FROM unsettled_case) AS result
    JOIN history ON history.id = result.run_id
    WHERE $metric::VARCHAR IS NULL AND result.value IS NOT NULL AND result.passed
    UNION ALL
    SELECT history.back, history.revision_number, metric_sample.case_id
    FROM metric_sample
    JOIN run ON run.id = metric_sample.run_id AND metric_sample.sample < run.samples
    JOIN history ON history.id = run.id
    WHERE metric_sample.metric = $metric::VARCHAR
    GROUP BY history.back, history.revision_number, metric_sample.case_id
    HAVING 2 * count(*) FILTER (WHERE metric_sample.passed) >= count(metric_sample.value) AND count(metric_sample.value) > 0
),
passed AS (
    -- One bit for each run, the newest first.
    SELECT verdict.case_id, bitstring_agg(verdict.back, 1, 365) AS backs
    FROM verdict
    JOIN same ON same.revision_number = verdict.revision_number AND same.case_id = verdict.case_id
    GROUP BY verdict.case_id
)
-- The streak ends before the newest run without a pass. `bit_position` is 0 when every bit is set.
SELECT wanted.case_id,
    CASE
        WHEN passed.backs IS NULL THEN 0
        WHEN bit_position('0'::BIT, passed.backs) = 0 THEN 365
        ELSE bit_position('0'::BIT, passed.backs) - 1
    END AS nights
FROM wanted
LEFT JOIN passed ON passed.case_id = wanted.case_id
