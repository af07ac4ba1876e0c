-- Whether the answer of a call refuses: 'yes', 'no' or 'unknown', decided when the call is stored. NULL in older rows until
-- the daemon has decided it in the background.

ALTER TABLE interaction ADD COLUMN refusal VARCHAR;
