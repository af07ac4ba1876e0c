-- A finding or an alert may be about a source that driftd reads by itself: it stopped, or a partition of it stalled.

ALTER TABLE finding ADD COLUMN source VARCHAR;
ALTER TABLE alert ADD COLUMN source VARCHAR;
