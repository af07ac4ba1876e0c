-- Is there a fact about a signal that is not folded into its row? One row if so.
SELECT 1 AS found FROM feedback_link
UNION ALL
SELECT 1 AS found FROM feedback_end
LIMIT 1
