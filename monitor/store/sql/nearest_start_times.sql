-- Between which two start times is now? NULL without a row. Clocks of senders may be ahead.
SELECT
    max(started_at) FILTER (WHERE started_at <= $now) AS newest_before,
    min(started_at) FILTER (WHERE started_at > $now) AS oldest_after
FROM current_interaction
