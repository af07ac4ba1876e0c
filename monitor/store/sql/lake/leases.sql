-- Leases: one process at a time holds the lease of a name. A change of the holder begins a new term, with the next epoch.
-- A write of a holder names its epoch. The row of `lease` is locked until its commit, so that a term cannot end in
-- between. Renewals change another table, because PostgreSQL would refuse a commit that began before the last renewal.
CREATE TABLE commits.lease(name text PRIMARY KEY, holder text NOT NULL, epoch bigint NOT NULL);
CREATE TABLE commits.lease_expiry(name text PRIMARY KEY, expires_at timestamptz NOT NULL);
CREATE FUNCTION commits.take_lease(wanted text, process text, expires_s double precision)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found commits.lease;
BEGIN
    SELECT * INTO found FROM commits.lease WHERE name = wanted;
    IF found.name IS NULL THEN
        INSERT INTO commits.lease (name, holder, epoch) VALUES (wanted, process, 1);
        INSERT INTO commits.lease_expiry (name, expires_at)
        VALUES (wanted, clock_timestamp() + make_interval(secs => expires_s));
        RETURN 1;
    END IF;
    IF EXISTS (SELECT FROM commits.lease_expiry WHERE name = wanted AND expires_at > clock_timestamp()) THEN
        RETURN NULL;
    END IF;
    -- A holder that is frozen in a transaction has locks. They end with its sessions.
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = found.holder AND found.holder <> process;
    UPDATE commits.lease SET holder = process, epoch = found.epoch + 1 WHERE name = wanted AND epoch = found.epoch;
    UPDATE commits.lease_expiry SET expires_at = clock_timestamp() + make_interval(secs => expires_s)
    WHERE name = wanted;
    RETURN found.epoch + 1;
END $$;
CREATE FUNCTION commits.renew_lease(held text, term bigint, expires_s double precision)
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    UPDATE commits.lease_expiry SET expires_at = clock_timestamp() + make_interval(secs => expires_s)
    WHERE name = held AND expires_at > clock_timestamp()
        AND EXISTS (SELECT FROM commits.lease WHERE name = held AND epoch = term);
    RETURN FOUND::int;
END $$;
CREATE FUNCTION commits.release_lease(held text, term bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    UPDATE commits.lease_expiry SET expires_at = clock_timestamp()
    WHERE name = held AND EXISTS (SELECT FROM commits.lease WHERE name = held AND epoch = term);
    RETURN FOUND::int;
END $$;
CREATE FUNCTION commits.require_lease(held text, term bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM commits.lease WHERE name = held AND epoch = term FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'driftd lease: term % of % is over', term, held;
    END IF;
END $$;
