-- How many production calls started in [since, until), and how many of them were corrected?
WITH corrections AS (
    SELECT DISTINCT linked_interaction_id AS id
    FROM feedback
    WHERE is_correction AND linked_interaction_id IS NOT NULL AND "at" >= $since
        AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
)
SELECT count(*) AS calls, count(corrections.id) AS corrected
FROM interaction
LEFT JOIN corrections ON corrections.id = interaction.id
WHERE interaction.origin = 'production' AND interaction.duplicate_of IS NULL AND interaction.started_at >= $since AND interaction.started_at < $until
    AND list_contains($deployments::VARCHAR[], interaction.deployment)
