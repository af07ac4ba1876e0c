-- Which calls were stored before driftd decided on refusals, some of them?
SELECT id, started_at, output_text, status, content_state FROM interaction WHERE refusal IS NULL LIMIT $limit
