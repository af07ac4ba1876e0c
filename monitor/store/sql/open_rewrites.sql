-- Which rewrites were ordered and are not done, oldest first?
SELECT * FROM rewrite WHERE rewritten_at IS NULL ORDER BY "at", id
