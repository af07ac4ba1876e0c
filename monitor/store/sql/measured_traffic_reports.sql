-- Which traffic reports of the deployment have numbers, the newest first?
SELECT *
FROM traffic_report
WHERE deployment = $deployment AND kind = $kind AND state = 'made'
ORDER BY "until" DESC, id DESC
LIMIT $limit
