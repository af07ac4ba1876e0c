-- Which calls were stored before driftd decided on refusals, some of them?
SELECT * FROM interaction WHERE refusal IS NULL LIMIT $limit
