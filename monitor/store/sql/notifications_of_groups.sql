-- Which notifications do the groups have?
SELECT * FROM notification WHERE group_id IN (SELECT unnest($group_ids::VARCHAR[])) ORDER BY planned_at, id
