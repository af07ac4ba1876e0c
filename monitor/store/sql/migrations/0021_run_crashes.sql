-- How often a loop crashed on a run since its last good step: the second crash sets it aside, over restarts too.

ALTER TABLE run ADD COLUMN crashes BIGINT DEFAULT 0;
