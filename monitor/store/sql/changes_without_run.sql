-- Which changes from a known version has no run been planned for?
SELECT change.*
FROM change
WHERE from_version IS NOT NULL AND NOT EXISTS (FROM run WHERE run.change_id = change.id)
ORDER BY noted_at, id
