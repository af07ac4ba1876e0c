-- Which reports on refreshes does the set have, in order?
SELECT *
FROM set_refresh
WHERE set_name = $name
ORDER BY "at", revision
