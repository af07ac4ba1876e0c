-- How many signals without an interaction are still retried, and how many were given up because of their age?
-- Only rows without a link are joined with facts: most rows have one.
SELECT count(*) FILTER (received_at >= $oldest) AS waiting, count(*) FILTER (received_at < $oldest) AS given_up
FROM feedback
ANTI JOIN feedback_link AS link ON link.id = feedback.id AND link.revision > feedback.revision
ANTI JOIN feedback_end AS ended ON ended.id = feedback.id AND ended.revision > feedback.revision
WHERE linked_interaction_id IS NULL
