-- Which calls were stored before driftd classified refusals? A limited number.
SELECT id, deployment, started_at, output_text, status, content_state FROM interaction WHERE refusal IS NULL LIMIT $limit
