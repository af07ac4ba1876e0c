-- Which replays are planned or running, and how many of their samples have an outcome? The running one of a deployment first.
SELECT run.id, run.deployment, run.set_name, run.state, run.planned_at, run.started_at, run.retry_at,
    run.cases * run.samples + run.repeats AS samples,
    (SELECT count(*) FROM current_outcome AS outcome WHERE outcome.run_id = run.id) AS outcomes
FROM run
WHERE run.state IN ('planned', 'running') AND run.trigger <> 'imported' AND run.planned_at <= $now
ORDER BY run.state = 'running' DESC, run.planned_at, run.id
