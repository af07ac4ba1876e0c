-- Which alerts are open?
SELECT *
FROM alert
WHERE state IN ('pending', 'firing') AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
ORDER BY pending_since DESC, id DESC
