-- Remove the ends that are folded into `dead_letter`.
DELETE FROM dead_letter_end
