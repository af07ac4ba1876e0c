-- Remove the reports on the set.
DELETE FROM set_refresh WHERE set_name = $name
