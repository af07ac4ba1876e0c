-- Remove the ends that are folded into the scores.
DELETE FROM score_end
