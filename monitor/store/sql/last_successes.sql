-- When did the newest complete run of each schedule and deployment end?
SELECT planned_instant.schedule, run.deployment, max(run.finished_at) AS finished_at
FROM planned_instant
JOIN run ON run.deployment = planned_instant.deployment AND run.planned_at = planned_instant.instant
WHERE run.state = 'complete' AND run.trigger = 'scheduled'
GROUP BY ALL
ORDER BY ALL
