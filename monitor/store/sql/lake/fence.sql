-- Stores what belongs to a commit of the lake and to no large table. The commit names it in `extra_info`: the moves of
-- the read positions of sources, statements that the writer runs after the commit, the number of a migration, and the
-- progress of an import. A move from another position refuses the commit, and so does a lease whose term is over.
-- DuckLake repeats a commit whose error names a conflict or a key, so the errors here do not.
CREATE SCHEMA commits;
CREATE TABLE commits.deferred_write(
    id text PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY, document text NOT NULL,
    stored_at timestamptz NOT NULL
);
CREATE TABLE commits.large_migration(version bigint PRIMARY KEY);
CREATE FUNCTION commits.store_extra_info() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moved jsonb;
    written jsonb;
BEGIN
    IF NEW.commit_extra_info IS NULL THEN
        RETURN NEW;
    END IF;
    PERFORM commits.require_lease(held ->> 'name', (held ->> 'epoch')::bigint)
    FROM jsonb_array_elements(NEW.commit_extra_info::jsonb -> 'leases') AS held;
    FOR moved IN SELECT jsonb_array_elements(NEW.commit_extra_info::jsonb -> 'offsets') LOOP
        IF moved ->> 'before' IS NULL THEN
            INSERT INTO main.kafka_offset (cluster_id, topic_id, "partition", topic, next_offset, stored_at)
            VALUES (
                moved ->> 'cluster_id', moved ->> 'topic_id', (moved ->> 'partition')::bigint, moved ->> 'topic',
                (moved ->> 'after')::bigint, (moved ->> 'at')::timestamptz
            )
            ON CONFLICT DO NOTHING;
        ELSE
            UPDATE main.kafka_offset
            SET next_offset = (moved ->> 'after')::bigint, stored_at = (moved ->> 'at')::timestamptz
            WHERE cluster_id = moved ->> 'cluster_id' AND topic_id = moved ->> 'topic_id'
                AND "partition" = (moved ->> 'partition')::bigint AND next_offset = (moved ->> 'before')::bigint;
        END IF;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'driftd position: topic % partition % is not at %',
                moved ->> 'topic', moved ->> 'partition', moved ->> 'before';
        END IF;
    END LOOP;
    FOR moved IN SELECT jsonb_array_elements(NEW.commit_extra_info::jsonb -> 'files') LOOP
        IF (moved ->> 'whole')::boolean OR (moved ->> 'before')::bigint = 0 THEN
            DELETE FROM main.file_position WHERE digest = moved ->> 'digest';
        END IF;
        IF (moved ->> 'whole')::boolean THEN
            CONTINUE;
        END IF;
        IF (moved ->> 'before')::bigint = 0 THEN
            INSERT INTO main.file_position (digest, read_to, records, stored_at)
            VALUES (
                moved ->> 'digest', (moved ->> 'offset')::bigint, (moved ->> 'after')::bigint,
                (moved ->> 'at')::timestamptz
            );
        ELSE
            UPDATE main.file_position
            SET read_to = (moved ->> 'offset')::bigint, records = (moved ->> 'after')::bigint,
                stored_at = (moved ->> 'at')::timestamptz
            WHERE digest = moved ->> 'digest' AND records = (moved ->> 'before')::bigint;
        END IF;
    END LOOP;
    FOR written IN SELECT jsonb_array_elements(NEW.commit_extra_info::jsonb -> 'deferred') LOOP
        INSERT INTO commits.deferred_write (id, document, stored_at)
        VALUES (written ->> 'id', written::text, statement_timestamp());
    END LOOP;
    IF NEW.commit_extra_info::jsonb ? 'migrated' THEN
        INSERT INTO commits.large_migration (version) VALUES ((NEW.commit_extra_info::jsonb ->> 'migrated')::bigint)
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'driftd migration: the large tables have it already';
        END IF;
    END IF;
    FOR moved IN SELECT jsonb_array_elements(NEW.commit_extra_info::jsonb -> 'imported') LOOP
        PERFORM commits.move_import(
            moved ->> 'table', (moved ->> 'before')::bigint, (moved ->> 'after')::bigint, (moved ->> 'rows')::bigint
        );
    END LOOP;
    NEW.commit_extra_info := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER store_extra_info BEFORE INSERT ON lake.ducklake_snapshot_changes
FOR EACH ROW EXECUTE FUNCTION commits.store_extra_info();
