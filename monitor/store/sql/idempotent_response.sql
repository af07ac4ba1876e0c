-- Which response did the first request with this key get?
SELECT * FROM idempotency WHERE key = $key AND route = $route
