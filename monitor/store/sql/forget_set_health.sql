-- Remove the measured health of the set: it names cases that are erased.
DELETE FROM set_health WHERE set_name = $name
