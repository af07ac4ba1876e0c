-- Which version does the deployment run now? The version after its newest change, else the one first seen last.
SELECT coalesce(
    (SELECT to_version FROM change WHERE deployment = $deployment ORDER BY noted_at DESC, id DESC LIMIT 1),
    (SELECT id FROM version WHERE deployment = $deployment ORDER BY first_seen DESC, id DESC LIMIT 1)
) AS to_version
