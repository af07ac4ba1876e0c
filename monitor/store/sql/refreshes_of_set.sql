-- Every report on a refresh of the set, in their order.
SELECT *
FROM set_refresh
WHERE set_name = $name
ORDER BY "at", revision
