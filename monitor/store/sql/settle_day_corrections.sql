-- Store how many answered calls of one UTC day were corrected, by the days that passed until the first correction.
INSERT INTO day_correction BY NAME
WITH call AS (
    SELECT interaction.id, interaction.deployment, identity AS version
    FROM current_interaction AS interaction
    JOIN batch ON batch.deployment = interaction.deployment
    WHERE origin = 'production' AND duplicate_of IS NULL AND status <> 'error' AND started_at >= $since AND started_at < $until
),
corrected AS (
    SELECT call.id, call.deployment, call.version,
        coalesce(min(epoch_us("at") // 86400000000 - epoch_us($since::TIMESTAMPTZ) // 86400000000) FILTER ("at" >= $since), -1) AS late_days
    FROM call
    JOIN current_feedback AS signal ON signal.linked_interaction_id = call.id
    WHERE is_correction AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY ALL
)
SELECT deployment, CAST($day AS DATE) AS "day", version, grouping(version) = 1 AS whole, late_days, count(DISTINCT id) AS calls
FROM corrected
GROUP BY GROUPING SETS ((deployment, late_days, version), (deployment, late_days))
