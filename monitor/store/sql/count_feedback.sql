-- How many signals are there?
SELECT count(*) AS feedback FROM feedback
