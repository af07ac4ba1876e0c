-- Which are the newest complete runs of a set, up to one of them if it is named, the oldest first?
-- Without a deployment, those of the deployment that replayed the set last.
WITH last_run AS (
    SELECT finished_at, id, deployment
    FROM run
    WHERE set_name = $set_name AND state = 'complete' AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
        AND ($until_run::VARCHAR IS NULL OR id = $until_run)
    ORDER BY finished_at DESC, id DESC
    LIMIT 1
),
newest AS (
    SELECT run.id AS run_id, run.deployment, run.finished_at AS "at", run.version, run.revision, run.trigger, run.samples
    FROM run
    JOIN last_run ON run.deployment = last_run.deployment AND (run.finished_at, run.id) <= (last_run.finished_at, last_run.id)
    WHERE run.set_name = $set_name AND run.state = 'complete'
    ORDER BY run.finished_at DESC, run.id DESC
    LIMIT $most
)
SELECT * FROM newest ORDER BY "at", run_id
