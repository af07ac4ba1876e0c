-- How many fresh samples of the run for the severity gate have a score? Their number is above that of a repeat.
SELECT count(value) AS scored
FROM folded_sample
WHERE run_id = $run_id AND sample > $samples
