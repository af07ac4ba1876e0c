-- The cases of a finding of the severity gate, as JSON.

ALTER TABLE finding ADD COLUMN severity_gate VARCHAR;
