-- Which revision do the next verdicts get that replace others?
SELECT coalesce(max(revision), 0) + 1 AS revision FROM turn_signal_end
