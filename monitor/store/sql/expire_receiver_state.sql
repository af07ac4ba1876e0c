-- Forget groups of alerts that are resolved and did not change since a time.
DELETE FROM receiver_state
WHERE stored_at < $before
    AND group_id NOT IN (SELECT group_id FROM alert WHERE state <> 'resolved')
