-- DuckLake stores the least and the greatest value of each column in its catalog, also of texts of users, and those of a
-- table do not change when their row is removed. Only these statistics help to skip files: of numbers, times, `run_id` and
-- `deployment`. Those of other texts are not stored.
CREATE FUNCTION commits.hide_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lake.ducklake_column AS known
        WHERE known.table_id = NEW.table_id AND known.column_id = NEW.column_id
            AND known.column_type IN ('varchar', 'blob') AND known.column_name NOT IN ('deployment', 'run_id')
    ) THEN
        NEW.min_value := NULL;
        NEW.max_value := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hide_text BEFORE INSERT OR UPDATE ON lake.ducklake_file_column_stats
FOR EACH ROW WHEN (NEW.min_value IS NOT NULL OR NEW.max_value IS NOT NULL) EXECUTE FUNCTION commits.hide_text();
CREATE TRIGGER hide_text BEFORE INSERT OR UPDATE ON lake.ducklake_table_column_stats
FOR EACH ROW WHEN (NEW.min_value IS NOT NULL OR NEW.max_value IS NOT NULL) EXECUTE FUNCTION commits.hide_text();

-- The statistics of PostgreSQL keep values as examples, also after their row is removed. Columns of texts without an index get none.
-- PostgreSQL 17 has NULL for the usual target, earlier ones have -1.
CREATE FUNCTION commits.keep_no_texts() RETURNS void LANGUAGE plpgsql AS $$
DECLARE found record;
BEGIN
    FOR found IN
        SELECT attrelid::regclass AS name, attname FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'main'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
            AND atttypid IN ('text'::regtype, 'bytea'::regtype) AND attstattarget IS DISTINCT FROM 0
            AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND attnum = ANY (indkey))
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', found.name, found.attname);
    END LOOP;
END $$;
SELECT commits.keep_no_texts();
