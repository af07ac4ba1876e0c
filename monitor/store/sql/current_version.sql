-- Which version does the deployment run now?
SELECT to_version FROM change WHERE deployment = $deployment ORDER BY noted_at DESC, id DESC LIMIT 1
