-- Remove the ends that are folded into the outcomes.
DELETE FROM outcome_end
