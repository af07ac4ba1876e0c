-- Between which two calls is now? Of a file without any there is none; clocks of senders may be ahead.
SELECT
    max(started_at) FILTER (WHERE started_at <= $now) AS newest_before,
    min(started_at) FILTER (WHERE started_at > $now) AS oldest_after
FROM interaction
