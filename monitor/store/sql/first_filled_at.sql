-- Since when does the set have cases? The time of the first revision with cases.
SELECT min(created_at) AS first_filled_at FROM eval_set WHERE name = $name AND cases > 0
