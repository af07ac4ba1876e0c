-- The health of a set, measured by a loop. `deployments` is the JSON list of the deployments whose runs and traffic it is
-- about. `set_health` has the newest measurement: `inputs` identifies what it was computed from, `document` is the result,
-- `concerns` the JSON list of sentences without that about the exposure.
-- `set_health_day` has the figures of each UTC day, with the number and the digest of the runs that ended on that day.

CREATE TABLE set_health (
    set_name VARCHAR NOT NULL, deployments VARCHAR NOT NULL, revision VARCHAR NOT NULL, inputs VARCHAR NOT NULL,
    computed_at TIMESTAMPTZ NOT NULL, runs BIGINT NOT NULL, concerns VARCHAR NOT NULL, "document" VARCHAR NOT NULL
);

CREATE TABLE set_health_day (
    set_name VARCHAR NOT NULL, deployments VARCHAR NOT NULL, "day" DATE NOT NULL, revision VARCHAR NOT NULL,
    computed_at TIMESTAMPTZ NOT NULL, day_runs BIGINT NOT NULL, day_digest VARCHAR NOT NULL,
    cases BIGINT NOT NULL, runs BIGINT NOT NULL, concerns BIGINT NOT NULL, versions BIGINT NOT NULL, judged BIGINT NOT NULL,
    saturation DOUBLE, calls BIGINT NOT NULL, distant DOUBLE, distant_low DOUBLE, distant_high DOUBLE, uncovered DOUBLE,
    redundant BIGINT NOT NULL, redundancy DOUBLE NOT NULL, budget BIGINT, max_exposure BIGINT, median_exposure DOUBLE,
    over_budget BIGINT, revealed_cases BIGINT, median_age_days DOUBLE, oldest_age_days DOUBLE
);

-- What identifies the stored results of a run: other scores have another digest.
ALTER TABLE settled_run ADD COLUMN digest VARCHAR;

UPDATE settled_run
SET digest = coalesce(
    (
        SELECT CAST(bit_xor(hash(case_id, value, passed)) AS VARCHAR)
        FROM case_verdict
        WHERE case_verdict.run_id = settled_run.run_id
    ), '0'
);
