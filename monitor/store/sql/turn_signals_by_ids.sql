-- Which turns have the ids of the batch?
SELECT turn_signal.* FROM current_turn_signal AS turn_signal SEMI JOIN batch USING (id)
