-- How many production calls started in [since, until), and how many of them were corrected?
WITH corrections AS (
    SELECT DISTINCT linked_interaction_id AS id
    FROM current_feedback AS signal
    WHERE is_correction AND linked_interaction_id IS NOT NULL AND "at" >= $since
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
)
SELECT count(*) AS calls, count(corrections.id) AS corrected
FROM current_interaction AS interaction
LEFT JOIN corrections ON corrections.id = interaction.id
WHERE interaction.origin = 'production' AND interaction.duplicate_of IS NULL AND interaction.started_at >= $since AND interaction.started_at < $until
    AND list_contains($deployments::VARCHAR[], interaction.deployment)
