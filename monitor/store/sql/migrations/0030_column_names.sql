-- Columns of duplicates and of runs have the names of the API. A run that a limit of its budget stopped names the limit
-- and the number of cases that it attempted. `repeat_offset` selects the cases that get one more answer.

ALTER TABLE interaction RENAME COLUMN dup_of TO duplicate_of;

ALTER TABLE run RENAME COLUMN cut_by TO stopped_by;

ALTER TABLE run RENAME COLUMN asked TO cases_attempted;

ALTER TABLE run RENAME COLUMN turn TO repeat_offset;
