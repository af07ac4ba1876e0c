-- Remove the ends that are folded into the signals.
DELETE FROM feedback_end
