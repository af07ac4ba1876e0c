-- Which cases a run asks once more, apart from what it is judged by; and the golden run that a set is held against.

ALTER TABLE run ADD COLUMN repeats BIGINT DEFAULT 0;
ALTER TABLE run ADD COLUMN turn BIGINT DEFAULT 0;

CREATE TABLE pin (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL, run_id VARCHAR NOT NULL,
    first_run VARCHAR NOT NULL, counts_from TIMESTAMPTZ NOT NULL, counts_to TIMESTAMPTZ NOT NULL,
    "at" TIMESTAMPTZ NOT NULL, who VARCHAR NOT NULL, reason VARCHAR NOT NULL, ended_at TIMESTAMPTZ, ended_by VARCHAR
);

-- The folding of verdicts to samples stays in one place; a run is judged by the samples that all of its cases have.

CREATE VIEW folded_sample AS
SELECT run_id, case_id, sample,
    CASE WHEN count(*) = count(value) THEN min(value) END AS value,
    first(failure_category ORDER BY value, scorer) AS failure_category
FROM score
GROUP BY run_id, case_id, sample;

CREATE OR REPLACE VIEW sample_result AS
SELECT folded_sample.*
FROM folded_sample
JOIN run ON run.id = folded_sample.run_id
WHERE folded_sample.sample < run.samples;
