-- How old are the cases of the revision, in days? A case is as old as the oldest stored revision of the set with its content.
WITH first_seen AS (
    SELECT eval_case.content_mac, min(eval_set.created_at) AS first_at
    FROM eval_case
    JOIN eval_set ON eval_set.name = eval_case.set_name AND eval_set.revision = eval_case.revision
    WHERE eval_case.set_name = $name AND eval_set.created_at <= $at
    GROUP BY eval_case.content_mac
)
SELECT median(epoch($at::TIMESTAMPTZ) - epoch(first_at)) / 86400 AS median_age_days,
    max(epoch($at::TIMESTAMPTZ) - epoch(first_at)) / 86400 AS oldest_age_days
FROM eval_case
JOIN first_seen ON first_seen.content_mac = eval_case.content_mac
WHERE eval_case.set_name = $name AND eval_case.revision = $revision
