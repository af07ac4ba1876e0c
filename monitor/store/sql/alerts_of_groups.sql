-- Which alerts do the groups have?
SELECT * FROM alert WHERE group_id IN (SELECT unnest($group_ids::VARCHAR[])) ORDER BY pending_since, id
