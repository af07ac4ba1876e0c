-- Rename a revision in the reports on refreshes. A first revision has no parent.
UPDATE set_refresh
SET revision = CASE WHEN revision = $old THEN coalesce($new, revision) ELSE revision END,
    parent = CASE WHEN parent = $old THEN $new ELSE parent END
WHERE set_name = $name AND (revision = $old OR parent = $old)
