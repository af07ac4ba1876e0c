-- Which revision does the next fact about a signal get?
SELECT greatest(
    coalesce((SELECT max(revision) FROM feedback_link), 0), coalesce((SELECT max(revision) FROM feedback_end), 0)
) + 1 AS revision
