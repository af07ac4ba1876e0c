-- The import of a database file into a new lake. A batch of rows moves the position of its table in its own commit, so a
-- killed import continues there. Each call names the position before the batch, and another one refuses the commit.
CREATE TABLE commits.import(
    fingerprint text NOT NULL, source text NOT NULL, began_at timestamptz NOT NULL, ended_at timestamptz
);
CREATE UNIQUE INDEX import_key ON commits.import((true));
CREATE TABLE commits.imported_table(
    name text PRIMARY KEY, read_to bigint NOT NULL, stored bigint NOT NULL, ends_at bigint NOT NULL, total bigint NOT NULL
);
CREATE FUNCTION commits.move_import(moved text, before bigint, after bigint, added bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE commits.imported_table SET read_to = after, stored = stored + added WHERE name = moved AND read_to = before;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'driftd import: the import of % is not at %', moved, before;
    END IF;
END $$;
