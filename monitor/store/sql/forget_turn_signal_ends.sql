-- Remove the ends that are folded into `turn_signal`.
DELETE FROM turn_signal_end
