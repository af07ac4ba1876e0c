-- Slices of runs. The process that leads plans them, and processes of the role `work` replay them. A process that takes a
-- slice holds a lease of it, so that PostgreSQL refuses the answers of a process that was frozen for longer than the lease.
CREATE TABLE commits.worker(process text PRIMARY KEY, role text NOT NULL, host text NOT NULL, seen_at timestamptz NOT NULL);
CREATE TABLE commits.sliced_run(
    run_id text PRIMARY KEY, deployment text NOT NULL, target text NOT NULL, concurrency bigint NOT NULL,
    budgets jsonb NOT NULL, expected_tokens double precision NOT NULL, expected_usd double precision NOT NULL,
    ends_at timestamptz, wanted boolean NOT NULL, stopped_by text, problem text, outage boolean NOT NULL,
    planned_at timestamptz NOT NULL
);
CREATE TABLE commits.slice(
    run_id text NOT NULL, number bigint NOT NULL, lease text NOT NULL UNIQUE, sample bigint NOT NULL,
    positions jsonb NOT NULL, calls bigint NOT NULL, done boolean NOT NULL, begun bigint NOT NULL,
    permits bigint NOT NULL, requests double precision NOT NULL, tokens double precision NOT NULL,
    usd double precision NOT NULL, last_of jsonb NOT NULL, PRIMARY KEY (run_id, number)
);
CREATE TABLE commits.pace(
    target text PRIMARY KEY, per_minute double precision, requests_until timestamptz NOT NULL,
    tokens_until timestamptz NOT NULL, refused_at timestamptz NOT NULL, held_until timestamptz NOT NULL
);
CREATE VIEW commits.slice_at_work AS
SELECT slice.*, run.deployment, run.target
FROM commits.slice
JOIN commits.sliced_run run ON run.run_id = slice.run_id
JOIN commits.lease_expiry expiry ON expiry.name = slice.lease
WHERE NOT slice.done AND expiry.expires_at > clock_timestamp();
CREATE FUNCTION commits.see_worker(name text, as_role text, on_host text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO commits.worker VALUES (name, as_role, on_host, clock_timestamp())
    ON CONFLICT (process) DO UPDATE SET seen_at = clock_timestamp();
    DELETE FROM commits.worker WHERE seen_at < clock_timestamp() - interval '1 day';
    RETURN 1;
END $$;
CREATE FUNCTION commits.forget_worker(name text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM commits.worker WHERE process = name;
    RETURN 1;
END $$;
CREATE FUNCTION commits.count_workers(as_role text, seen_s double precision) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM commits.worker
    WHERE role = as_role AND seen_at > clock_timestamp() - make_interval(secs => seen_s)
$$;
CREATE FUNCTION commits.count_slices() RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object(
        'open', (SELECT count(*) FROM commits.slice WHERE NOT done),
        'at_work', (SELECT count(*) FROM commits.slice_at_work)
    )
$$;
-- Plan slices of a run, after those that it has. `planned` is an array of objects {sample, positions}.
CREATE FUNCTION commits.plan_slices(held text, term bigint, run jsonb, planned jsonb)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    id text := run ->> 'run_id';
    latest bigint;
BEGIN
    PERFORM commits.require_lease(held, term);
    DELETE FROM commits.sliced_run WHERE run_id = id;
    INSERT INTO commits.sliced_run VALUES (
        id, run ->> 'deployment', run ->> 'target', (run ->> 'concurrency')::bigint, run -> 'budgets',
        (run ->> 'expected_tokens')::float8, (run ->> 'expected_usd')::float8,
        clock_timestamp() + make_interval(secs => (run ->> 'seconds')::float8), true, NULL, NULL, false,
        clock_timestamp()
    );
    SELECT coalesce(max(number), 0) INTO latest FROM commits.slice WHERE run_id = id;
    INSERT INTO commits.slice
    SELECT id, latest + place, 'slice_' || id || '_' || (latest + place), (one ->> 'sample')::bigint, one -> 'positions',
        jsonb_array_length(one -> 'positions'), false, 0, 0, 0, 0, 0, '{}'
    FROM jsonb_array_elements(planned) WITH ORDINALITY AS each(one, place);
    RETURN jsonb_array_length(planned);
END $$;
-- Return the state of a run, and note what is left of its budgets: a period may have begun.
CREATE FUNCTION commits.watch_slices(held text, term bigint, id text, now_budgets jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    found jsonb;
BEGIN
    PERFORM commits.require_lease(held, term);
    UPDATE commits.sliced_run SET budgets = now_budgets WHERE run_id = id AND budgets <> now_budgets;
    SELECT jsonb_build_object(
        'open', (SELECT count(*) FROM commits.slice WHERE run_id = id AND NOT done),
        'at_work', (SELECT count(*) FROM commits.slice_at_work WHERE run_id = id),
        'wanted', wanted, 'stopped_by', stopped_by, 'problem', problem, 'outage', outage
    ) INTO found FROM commits.sliced_run WHERE run_id = id;
    RETURN found;
END $$;
CREATE FUNCTION commits.sliced_runs() RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(run_id, planned_at) FROM commits.sliced_run
$$;
-- Let the workers end the slices of a run after the calls in flight.
CREATE FUNCTION commits.stop_slices(held text, term bigint, id text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM commits.require_lease(held, term);
    UPDATE commits.sliced_run SET wanted = false WHERE run_id = id;
    RETURN 1;
END $$;
-- Remove the slices of a run. The commits of a process that still replays one are refused from here on.
CREATE FUNCTION commits.remove_slices(held text, term bigint, id text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM commits.require_lease(held, term);
    DELETE FROM commits.lease WHERE name IN (SELECT lease FROM commits.slice WHERE run_id = id);
    DELETE FROM commits.lease_expiry WHERE name IN (SELECT lease FROM commits.slice WHERE run_id = id);
    DELETE FROM commits.slice WHERE run_id = id;
    DELETE FROM commits.sliced_run WHERE run_id = id;
    RETURN 1;
END $$;
-- Return what a new slice may use of one kind of one budget: {limit, left, others}. What the slices at work may still use
-- counts as used, so that together they stay within the budget.
CREATE FUNCTION commits.left_of(run commits.sliced_run, budget jsonb, kind text)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
    used double precision;
    granted double precision;
    of_run boolean := budget ->> 'since' IS NULL;
BEGIN
    SELECT coalesce(sum(CASE kind WHEN 'requests' THEN requests WHEN 'tokens' THEN tokens ELSE usd END), 0) INTO used
    FROM main.replay_spend
    WHERE CASE WHEN of_run THEN run_id = run.run_id
        ELSE deployment = run.deployment AND at >= (budget ->> 'since')::timestamptz END;
    SELECT coalesce(sum(CASE kind WHEN 'requests' THEN requests WHEN 'tokens' THEN tokens ELSE usd END), 0)
    INTO granted
    FROM commits.slice_at_work
    WHERE CASE WHEN of_run THEN run_id = run.run_id ELSE deployment = run.deployment END;
    RETURN (budget ->> kind)::float8 - used - granted;
END $$;
CREATE FUNCTION commits.take_slice(
    process text, expires_s double precision, workers bigint, attempts bigint
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    run commits.sliced_run;
    one commits.slice;
    budget jsonb;
    kind text;
    free bigint;
    at_work bigint;
    term bigint;
    wanted_of double precision;
    left_of double precision;
    granted jsonb;
    last jsonb;
BEGIN
    PERFORM pg_advisory_xact_lock(7236823908);
    <<runs>>
    FOR run IN
        SELECT planned.* FROM commits.sliced_run planned WHERE planned.wanted
        ORDER BY (SELECT count(*) FROM commits.slice_at_work w WHERE w.run_id = planned.run_id), planned.planned_at
    LOOP
        IF run.ends_at <= clock_timestamp() THEN
            UPDATE commits.sliced_run SET wanted = false, stopped_by = 'seconds' WHERE run_id = run.run_id;
            CONTINUE runs;
        END IF;
        SELECT run.concurrency - coalesce(sum(permits), 0) INTO free
        FROM commits.slice_at_work WHERE target = run.target;
        CONTINUE runs WHEN free < 1;
        SELECT slice.* INTO one FROM commits.slice LEFT JOIN commits.lease_expiry expiry ON expiry.name = slice.lease
        WHERE slice.run_id = run.run_id AND NOT slice.done
            AND (expiry.expires_at IS NULL OR expiry.expires_at <= clock_timestamp())
        ORDER BY slice.number LIMIT 1;
        CONTINUE runs WHEN one.run_id IS NULL;
        IF one.begun >= attempts THEN
            UPDATE commits.sliced_run SET wanted = false, problem = format(
                'slice %s was begun %s times by processes that ended without a result', one.number, one.begun
            ) WHERE run_id = run.run_id;
            CONTINUE runs;
        END IF;
        SELECT count(*) INTO at_work FROM commits.slice_at_work WHERE deployment = run.deployment;
        granted := '{}';
        last := '{}';
        FOR budget IN SELECT jsonb_array_elements(run.budgets) LOOP
            FOREACH kind IN ARRAY ARRAY['requests', 'tokens', 'usd'] LOOP
                CONTINUE WHEN budget ->> kind IS NULL;
                left_of := commits.left_of(run, budget, kind);
                wanted_of := 2.0 * one.calls * CASE kind
                    WHEN 'requests' THEN 1.0 WHEN 'tokens' THEN run.expected_tokens ELSE run.expected_usd END;
                IF wanted_of = 0.0 THEN
                    wanted_of := left_of / 8.0;
                END IF;
                IF at_work > 0 THEN
                    CONTINUE runs WHEN left_of <= 0.0 OR left_of < wanted_of;
                ELSIF left_of <= 0.0 THEN
                    UPDATE commits.sliced_run SET wanted = false, stopped_by = kind || (budget ->> 'period')
                    WHERE run_id = run.run_id;
                    CONTINUE runs;
                ELSIF left_of <= wanted_of THEN
                    wanted_of := left_of;
                    last := last || jsonb_build_object(kind, kind || (budget ->> 'period'));
                END IF;
                granted := granted || jsonb_build_object(kind, least(wanted_of, (granted ->> kind)::float8));
            END LOOP;
        END LOOP;
        term := commits.take_lease(one.lease, process, expires_s);
        CONTINUE runs WHEN term IS NULL;
        free := least(free, ceil(run.concurrency::float8 / greatest(workers, 1))::bigint);
        UPDATE commits.slice SET begun = begun + 1, permits = free, last_of = last,
            requests = coalesce((granted ->> 'requests')::float8, 0),
            tokens = coalesce((granted ->> 'tokens')::float8, 0), usd = coalesce((granted ->> 'usd')::float8, 0)
        WHERE run_id = one.run_id AND number = one.number;
        RETURN granted || jsonb_build_object(
            'run_id', one.run_id, 'number', one.number, 'lease', one.lease, 'epoch', term, 'sample', one.sample,
            'positions', one.positions, 'permits', free, 'seconds', extract(epoch FROM run.ends_at - clock_timestamp()),
            'expected_tokens', run.expected_tokens, 'expected_usd', run.expected_usd
        );
    END LOOP;
    RETURN NULL;
END $$;
-- Return 0 when the process holds the slice no longer, 1 while it holds it, and 2 when it should end.
CREATE FUNCTION commits.renew_slice(held text, term bigint, expires_s double precision)
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF commits.renew_lease(held, term, expires_s) = 0 THEN
        RETURN 0;
    END IF;
    RETURN CASE WHEN EXISTS (
        SELECT FROM commits.slice JOIN commits.sliced_run run ON run.run_id = slice.run_id
        WHERE slice.lease = held AND run.wanted
    ) THEN 1 ELSE 2 END;
END $$;
-- Record the requests of a slice before they are sent, and the cost of those that ended. It takes no lock of other writes.
CREATE FUNCTION commits.record_calls(
    held text, term bigint, run text, of_deployment text, now timestamptz, started bigint, ended bigint,
    used_tokens bigint, used_usd double precision
) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM commits.require_lease(held, term);
    INSERT INTO main.replay_spend (run_id, deployment, "at", requests, open, tokens, usd)
    VALUES (run, of_deployment, now, started, started - ended, used_tokens, used_usd);
    RETURN 1;
END $$;
-- End the work on a slice and free it. A slice that is not done waits for the next process, unless its run must end.
CREATE FUNCTION commits.end_slice(held text, term bigint, result jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ended commits.slice;
    stopped text := result ->> 'stopped_by';
BEGIN
    PERFORM pg_advisory_xact_lock(7236823908);
    IF NOT EXISTS (SELECT FROM commits.lease WHERE name = held AND epoch = term) THEN
        RETURN 0;
    END IF;
    UPDATE commits.slice SET done = (result ->> 'done')::boolean, begun = 0, permits = 0, requests = 0, tokens = 0, usd = 0
    WHERE lease = held RETURNING slice.* INTO ended;
    IF stopped = 'seconds' OR ended.last_of ? stopped THEN
        UPDATE commits.sliced_run SET wanted = false, stopped_by = coalesce(ended.last_of ->> stopped, stopped)
        WHERE run_id = ended.run_id;
    ELSIF result ->> 'problem' IS NOT NULL THEN
        UPDATE commits.sliced_run
        SET wanted = false, problem = result ->> 'problem', outage = (result ->> 'outage')::boolean
        WHERE run_id = ended.run_id AND problem IS NULL;
    END IF;
    UPDATE commits.lease SET holder = 'released' WHERE name = held AND epoch = term;
    PERFORM commits.release_lease(held, term);
    RETURN 1;
END $$;
-- Reserve requests of a target at its pace: the first may be sent after `wait_s`, each other one `interval_s` later.
-- The algorithm is that of replay/run/rate_limit.py.
CREATE FUNCTION commits.reserve_pace(
    of_target text, requests bigint, tokens double precision, per_minute_allowed double precision,
    tokens_allowed double precision, burst_s double precision, slow boolean, hold_s double precision
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := clock_timestamp();
    earliest timestamptz := clock_timestamp() - make_interval(secs => burst_s);
    kept commits.pace;
    requests_from timestamptz;
    tokens_from timestamptz;
BEGIN
    INSERT INTO commits.pace VALUES (of_target, per_minute_allowed, earliest, earliest, '-infinity', '-infinity')
    ON CONFLICT DO NOTHING;
    SELECT * INTO kept FROM commits.pace WHERE target = of_target FOR UPDATE;
    now := clock_timestamp();
    earliest := now - make_interval(secs => burst_s);
    kept.per_minute := least(kept.per_minute, per_minute_allowed);
    IF slow AND kept.refused_at < now - interval '1 second' THEN
        kept.per_minute := greatest(kept.per_minute / 2.0, 1.0);
        kept.requests_until := now + 2.0 * greatest(kept.requests_until - now, interval '0');
        kept.refused_at := now;
    ELSIF kept.per_minute < per_minute_allowed AND kept.refused_at < now - interval '30 seconds' THEN
        kept.per_minute := least(2.0 * kept.per_minute, per_minute_allowed);
        kept.refused_at := now;
    END IF;
    IF per_minute_allowed IS NULL THEN
        kept.per_minute := NULL;
    ELSE
        kept.per_minute := coalesce(kept.per_minute, per_minute_allowed);
    END IF;
    kept.held_until := greatest(kept.held_until, now + make_interval(secs => hold_s));
    requests_from := greatest(kept.requests_until, earliest);
    tokens_from := greatest(kept.tokens_until, earliest);
    IF kept.per_minute IS NOT NULL THEN
        kept.requests_until := requests_from + make_interval(secs => requests * 60.0 / kept.per_minute);
    END IF;
    IF tokens_allowed IS NOT NULL THEN
        kept.tokens_until := greatest(tokens_from + make_interval(secs => tokens * 60.0 / tokens_allowed), earliest);
    END IF;
    UPDATE commits.pace SET per_minute = kept.per_minute, requests_until = kept.requests_until,
        tokens_until = kept.tokens_until, refused_at = kept.refused_at, held_until = kept.held_until
    WHERE target = of_target;
    RETURN jsonb_build_object(
        'wait_s', extract(epoch FROM requests_from - now), 'interval_s', 60.0 / kept.per_minute,
        'tokens_wait_s', extract(epoch FROM tokens_from - now), 'tokens_interval_s', CASE
            WHEN tokens_allowed IS NULL THEN NULL ELSE greatest(tokens, 0) * 60.0 / tokens_allowed / requests END,
        'held_s', CASE WHEN kept.held_until = '-infinity' THEN 0 ELSE extract(epoch FROM kept.held_until - now) END
    );
END $$;
