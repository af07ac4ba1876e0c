-- Which run of each set against each deployment completed last?
SELECT deployment, set_name, arg_max(id, (finished_at, id)) AS run_id
FROM run
WHERE state = 'complete' AND finished_at <= $until
GROUP BY deployment, set_name
