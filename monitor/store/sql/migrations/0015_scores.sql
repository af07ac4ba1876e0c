-- What a score, annotation or assessment of another product said, in its own words and on its own scale.

ALTER TABLE feedback ADD COLUMN name VARCHAR;
ALTER TABLE feedback ADD COLUMN label VARCHAR;
ALTER TABLE feedback ADD COLUMN score DOUBLE;
