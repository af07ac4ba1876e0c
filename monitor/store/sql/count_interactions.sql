-- How many production interactions are there?
SELECT count(*) AS interactions
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
