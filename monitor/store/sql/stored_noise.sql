-- What is the newest measurement of the noise of a set, and what was it computed from?
SELECT inputs, "document" FROM set_noise WHERE deployment = $deployment AND set_name = $set_name
