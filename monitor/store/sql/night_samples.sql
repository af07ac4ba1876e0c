-- What is the score of each scored sample of these runs by its deciding scores, and how did it fail?
-- A settled run with one sample of each case has them in its stored results; its repeated answers are read from the scores.
-- Unscored samples are absent, and so are the fresh samples for the severity gate, whose number is above that of a repeat.
WITH night AS (
    SELECT unnest($runs::VARCHAR[]) AS run_id, unnest(range(len($runs::VARCHAR[]))) AS night
),
planned AS (
    -- Revisions are numbered: a join of their long names would take most of the time.
    SELECT run.id AS run_id, night.night, run.set_name, run.revision, run.samples,
        dense_rank() OVER (ORDER BY run.set_name, run.revision) AS revision_number,
        run.samples = 1 AND settled_run.run_id IS NOT NULL AS stored
    FROM night
    JOIN run ON run.id = night.run_id
    LEFT JOIN settled_run ON settled_run.run_id = run.id
),
numbered AS (
    SELECT asked.revision_number, eval_case.case_id, batch.number
    FROM (SELECT DISTINCT set_name, revision, revision_number FROM planned) AS asked
    JOIN eval_case ON eval_case.set_name = asked.set_name AND eval_case.revision = asked.revision
    JOIN batch ON batch.case_id = eval_case.case_id AND batch.content_mac = eval_case.content_mac
),
folded AS (
    SELECT score.run_id, score.case_id, score.sample,
        CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category,
        CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed
    FROM current_score AS score
    JOIN planned ON planned.run_id = score.run_id
    WHERE decides IS NOT FALSE AND score.sample >= CAST(planned.stored AS BIGINT) AND score.sample <= planned.samples
    GROUP BY score.run_id, score.case_id, score.sample
),
result AS (
    -- The nights are numbered before the cases: the other order takes three times as long.
    SELECT planned.night, planned.revision_number, folded.case_id, folded.sample = planned.samples AS repeated, folded.value,
        CASE WHEN NOT folded.passed THEN folded.failure_category END AS failure_category
    FROM folded
    JOIN planned ON planned.run_id = folded.run_id
    UNION ALL
    SELECT planned.night, planned.revision_number, case_verdict.case_id, false AS repeated, case_verdict.value,
        case_verdict.failure_category
    FROM case_verdict
    JOIN planned ON planned.run_id = case_verdict.run_id
    WHERE planned.stored
)
SELECT result.night, numbered.number AS "case", result.repeated, result.value,
    CASE WHEN result.failure_category <> 'none' THEN result.failure_category END AS failure_category
FROM result
JOIN numbered ON numbered.revision_number = result.revision_number AND numbered.case_id = result.case_id
WHERE result.value IS NOT NULL
