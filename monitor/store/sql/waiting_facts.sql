-- Which tables have facts that are not folded into their rows?
(SELECT 'feedback' AS "table" FROM feedback_link LIMIT 1)
UNION ALL
(SELECT 'feedback' AS "table" FROM feedback_end LIMIT 1)
UNION ALL
(SELECT 'interaction' AS "table" FROM interaction_end LIMIT 1)
