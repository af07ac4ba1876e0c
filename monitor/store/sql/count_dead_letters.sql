-- How many dead letters are there?
SELECT count(*) AS dead_letters FROM current_dead_letter
