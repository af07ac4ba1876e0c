-- Which sealed cases left for which model, when and how often: one row for each case of a batch of replies. With the log of
-- reveals it is the ledger of who or what has seen a case; rows name cases by id, and none holds a text.

CREATE TABLE case_replay (
    "at" TIMESTAMPTZ NOT NULL, kind VARCHAR NOT NULL, deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL,
    revision VARCHAR NOT NULL, run_id VARCHAR NOT NULL, provider VARCHAR NOT NULL, model VARCHAR NOT NULL,
    case_id VARCHAR NOT NULL, calls BIGINT NOT NULL
);

-- What was replayed before there was a ledger, as far as its outcomes are still there.

INSERT INTO case_replay BY NAME
SELECT max(outcome.started_at) AS "at", 'replay' AS kind, run.deployment, run.set_name, run.revision, run.id AS run_id,
    coalesce(regexp_extract(json_extract_string(run.manifest, '$.target.base_url'), '^https?://([^/]+)', 1), '') AS provider,
    coalesce(json_extract_string(run.manifest, '$.target.model'), '') AS model, outcome.case_id,
    CAST(sum(outcome.attempts) AS BIGINT) AS calls
FROM outcome
JOIN run ON run.id = outcome.run_id
WHERE run.set_kind = 'frozen'
GROUP BY run.deployment, run.set_name, run.revision, run.id, run.manifest, outcome.case_id;

CREATE VIEW case_access AS
SELECT "at", kind, deployment AS who, run_id AS what, set_name, revision, provider, model, case_id, calls
FROM case_replay
UNION ALL BY NAME
SELECT "at", 'reveal' AS kind, who, what, set_name, revision, NULL AS provider, NULL AS model,
    unnest(from_json(case_ids, '["VARCHAR"]')) AS case_id, 1 AS calls
FROM reveal_log;
