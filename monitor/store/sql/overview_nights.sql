-- Which are the newest complete runs of each set against each of these deployments, the oldest first?
SELECT id AS run_id, deployment, set_name, set_kind, trigger, version, finished_at AS "at"
FROM run
WHERE state = 'complete' AND finished_at <= $now AND deployment IN (SELECT unnest($deployments::VARCHAR[]))
QUALIFY row_number() OVER (PARTITION BY deployment, set_name ORDER BY finished_at DESC, id DESC) <= $nights
ORDER BY finished_at, id
