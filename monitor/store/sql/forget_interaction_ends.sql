-- Remove the ends that are folded into the calls.
DELETE FROM interaction_end
