-- What did this request answer the first time?
SELECT * FROM idempotency WHERE key = $key AND route = $route
