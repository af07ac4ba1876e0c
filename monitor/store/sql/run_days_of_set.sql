-- How many complete runs of the set ended on each UTC day, which results do they have, and how many are not settled?
SELECT CAST(run.finished_at AT TIME ZONE 'UTC' AS DATE) AS "day", count(*) AS runs,
    count(*) FILTER (WHERE settled_run.digest IS NULL) AS unsettled,
    coalesce(CAST(bit_xor(hash(run.id, run.version, settled_run.digest)) AS VARCHAR), '0') AS digest
FROM run
LEFT JOIN settled_run ON settled_run.run_id = run.id
WHERE run.set_name = $name AND run.state = 'complete' AND list_contains($deployments::VARCHAR[], run.deployment)
    AND run.finished_at >= $since
GROUP BY "day"
ORDER BY "day"
