-- What is the current version of each deployment, and its newest change? The version is that of current_version.
WITH newest AS (
    SELECT *
    FROM change
    QUALIFY row_number() OVER (PARTITION BY deployment ORDER BY noted_at DESC, id DESC) = 1
),
seen AS (
    SELECT deployment, id
    FROM version
    QUALIFY row_number() OVER (PARTITION BY deployment ORDER BY first_seen DESC, id DESC) = 1
)
SELECT coalesce(newest.deployment, seen.deployment) AS deployment, coalesce(newest.to_version, seen.id) AS version,
    newest.id AS change_id, newest."at", newest.kind, newest.how, newest.from_version
FROM seen
FULL JOIN newest ON newest.deployment = seen.deployment
