-- Which is the newest settled day of any deployment?
SELECT max("day") AS "day" FROM settled_day
