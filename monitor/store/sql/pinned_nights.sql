-- Which complete runs of the set are the pinned nights and the nights after them, up to the run, the oldest first?
-- A change that a drift finding opened does not divide the nights: the evidence has a better estimate of its onset.
WITH judged AS (
    SELECT finished_at, id FROM run WHERE id = $until_run
),
complete AS (
    SELECT run.id AS run_id, run.finished_at AS "at", run.version, run.revision, coalesce(run.cases_attempted, run.cases) AS cases,
        CASE WHEN json_exists(change.evidence, '$.behaviour') THEN NULL ELSE run.change_id END AS change_id
    FROM run
    LEFT JOIN change ON change.id = run.change_id
    WHERE run.deployment = $deployment AND run.set_name = $set_name AND run.state = 'complete'
        AND run.finished_at >= $counts_from
        AND EXISTS (FROM judged WHERE (run.finished_at, run.id) <= (judged.finished_at, judged.id))
)
SELECT *
FROM complete
QUALIFY "at" <= $counts_to OR row_number() OVER (ORDER BY "at" DESC, run_id DESC) <= $most
ORDER BY "at", run_id
