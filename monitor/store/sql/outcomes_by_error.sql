-- How many outcomes of the run have each error class? An answer has none.
SELECT error_class, count(*) AS outcomes FROM current_outcome WHERE run_id = $run_id GROUP BY error_class ORDER BY error_class
