-- What a product's client may ask for again in its own words, and which signal takes the place of another.

ALTER TABLE feedback ADD COLUMN record VARCHAR;
ALTER TABLE feedback ADD COLUMN overrides VARCHAR;
