-- Remove the links that are folded into the signals.
DELETE FROM feedback_link
