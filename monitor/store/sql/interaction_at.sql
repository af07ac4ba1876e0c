-- Which interaction of this second has this id?
SELECT * FROM current_interaction WHERE id = $id AND started_at >= $low AND started_at < $high LIMIT 1
