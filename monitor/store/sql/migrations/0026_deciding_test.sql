-- The test that a finding rests on, with its numbers, as JSON; and who accepted a finding, when and why, as JSON.

ALTER TABLE finding ADD COLUMN decided VARCHAR;
ALTER TABLE finding ADD COLUMN acceptance VARCHAR;
ALTER TABLE alert ADD COLUMN acceptance VARCHAR;
