-- What was measured of the deployment's traffic so far, newest first?
SELECT *
FROM traffic_report
WHERE deployment = $deployment AND kind = $kind AND state = 'made'
ORDER BY "until" DESC, id DESC
LIMIT $limit
