-- How many dead letters are there?
SELECT count(*) AS dead_letters FROM dead_letter
