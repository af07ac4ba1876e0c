-- What replays spend, written before each request and after it: the sum of a run's rows is never less than its target saw.
-- `open` counts requests that began and did not end. Rows of a run are added up when it is over.

CREATE TABLE replay_spend (
    run_id VARCHAR NOT NULL, deployment VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, requests BIGINT NOT NULL,
    open BIGINT NOT NULL, tokens BIGINT NOT NULL, usd DOUBLE NOT NULL
);

-- What was spent before there was this record, as far as its outcomes are still there.

INSERT INTO replay_spend BY NAME
SELECT run.id AS run_id, run.deployment, max(outcome.started_at) AS "at", CAST(sum(outcome.attempts) AS BIGINT) AS requests,
    0 AS open, CAST(sum(coalesce(outcome.input_tokens, 0) + coalesce(outcome.output_tokens, 0)) AS BIGINT) AS tokens,
    sum(coalesce(outcome.cost_usd, 0.0)) AS usd
FROM outcome
JOIN run ON run.id = outcome.run_id
GROUP BY run.id, run.deployment;
