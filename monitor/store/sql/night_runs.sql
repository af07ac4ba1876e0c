-- Which are the newest complete runs of the set since its baseline began, up to the judged run, the oldest first?
-- A change that a drift finding opened does not divide the nights: the evidence has a better estimate of its onset.
WITH judged AS (
    SELECT finished_at, id FROM run WHERE id = $until_run
),
newest AS (
    SELECT run.id AS run_id, run.finished_at AS "at", run.version, run.revision, coalesce(run.cases_attempted, run.cases) AS cases,
        CASE WHEN json_exists(change.evidence, '$.behaviour') THEN NULL ELSE run.change_id END AS change_id
    FROM run
    LEFT JOIN change ON change.id = run.change_id
    WHERE run.deployment = $deployment AND run.set_name = $set_name AND run.state = 'complete'
        AND ($since::TIMESTAMPTZ IS NULL OR run.finished_at >= $since)
        AND ($until_run::VARCHAR IS NULL OR EXISTS (
            FROM judged WHERE (run.finished_at, run.id) <= (judged.finished_at, judged.id)
        ))
    ORDER BY run.finished_at DESC, run.id DESC
    LIMIT $most
)
SELECT * FROM newest ORDER BY "at", run_id
