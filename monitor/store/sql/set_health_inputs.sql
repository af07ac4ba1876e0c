-- What does the health of a set depend on?
-- Runs have a digest of their results. Calls and corrections have one while they are fewer than $most. `unsettled` runs
-- have no digest yet.
WITH chosen AS (
    SELECT run.id, run.deployment, run.version, run.finished_at, settled_run.digest
    FROM run
    LEFT JOIN settled_run ON settled_run.run_id = run.id
    WHERE run.set_name = $name AND run.state = 'complete' AND list_contains($deployments::VARCHAR[], run.deployment)
),
calls AS (
    SELECT id, input_text, category
    FROM current_interaction
    WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since
        AND list_contains($deployments::VARCHAR[], deployment) AND input_text <> ''
    LIMIT $most
),
corrections AS (
    SELECT id, linked_interaction_id, is_correction, overrides
    FROM current_feedback
    WHERE (is_correction OR overrides IS NOT NULL) AND list_contains($deployments::VARCHAR[], deployment)
    LIMIT $most
)
SELECT *
FROM (
    SELECT count(*) AS runs, count(*) FILTER (WHERE digest IS NULL) AS unsettled,
        CAST(bit_xor(hash(id, deployment, version, finished_at, digest)) AS VARCHAR) AS run_digest
    FROM chosen
)
CROSS JOIN (
    SELECT count(*) AS calls,
        CASE WHEN count(*) < $most THEN CAST(bit_xor(hash(id, input_text, category)) AS VARCHAR) END AS call_digest
    FROM calls
)
CROSS JOIN (
    SELECT count(*) AS corrections,
        CASE WHEN count(*) < $most THEN CAST(bit_xor(hash(id, linked_interaction_id, is_correction, overrides)) AS VARCHAR) END
            AS correction_digest
    FROM corrections
)
