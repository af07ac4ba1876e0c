-- How many signals are there?
SELECT count(*) AS feedback FROM current_feedback
