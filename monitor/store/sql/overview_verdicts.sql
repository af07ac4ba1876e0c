-- What is the newest verdict of each set of these deployments, with the numbers of its comparison?
-- The order is that of newest_findings_of_sets.
WITH newest AS (
    SELECT finding.id
    FROM finding
    LEFT JOIN run ON run.id = finding.candidate_run
    WHERE finding.set_name IS NOT NULL AND finding.signal = 'score'
        AND finding.deployment IN (SELECT unnest($deployments::VARCHAR[]))
    QUALIFY row_number() OVER (
        PARTITION BY finding.deployment, finding.set_name
        ORDER BY
            CASE WHEN run.trigger = 'imported' AND finding.acceptance IS NULL THEN run.finished_at ELSE finding."at" END DESC,
            finding."at" DESC, finding.id DESC
    ) = 1
)
SELECT finding.id, finding.deployment, finding.set_name, finding."at", finding.verdict, finding.reason, finding.candidate_run,
    finding.held_back, finding.acceptance, finding.decided, run.finished_at AS measured_at, run.trigger,
    CAST(json_extract(finding.comparison, '$.effect') AS DOUBLE) AS effect,
    CAST(json_extract(finding.comparison, '$.interval.low') AS DOUBLE) AS low,
    CAST(json_extract(finding.comparison, '$.interval.high') AS DOUBLE) AS high
FROM finding
JOIN newest ON newest.id = finding.id
LEFT JOIN run ON run.id = finding.candidate_run
