-- Which losses wait for an acknowledgement?
SELECT * FROM loss WHERE acknowledged_at IS NULL ORDER BY found_at, id
