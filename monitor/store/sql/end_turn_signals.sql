-- End the verdicts with the ids of the batch: newer ones take their place.
INSERT INTO turn_signal_end BY NAME
SELECT id, $revision AS revision
FROM current_turn_signal
WHERE id IN (SELECT id FROM batch)
