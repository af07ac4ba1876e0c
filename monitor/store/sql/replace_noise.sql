-- Remove the measurement of the noise of a set that is about to be replaced.
DELETE FROM set_noise WHERE deployment = $deployment AND set_name = $set_name
