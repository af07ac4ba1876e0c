-- Which revision does the next change of a call get?
SELECT coalesce(max(revision), 0) + 1 AS revision FROM interaction_end
