-- The counts of a past UTC day of a deployment, stored once. The rows of a day are valid while the day is in `settled_day`;
-- without it, they are counted from the calls. `prices` names the prices behind the costs. `stored` counts all rows of the
-- day, also those that are no traffic, and `signals` the corrections of its calls with what overrides them: a removal
-- changes one of them.

CREATE TABLE settled_day (
    deployment VARCHAR NOT NULL, "day" DATE NOT NULL, stored BIGINT NOT NULL, signals BIGINT NOT NULL, prices VARCHAR NOT NULL,
    price_table VARCHAR, priced_at TIMESTAMPTZ, price_tables BIGINT NOT NULL
);

-- One row for each version, and one for all calls of the day (`whole`). `cost_usd` is a median with the prices of the
-- policy or the newest price table of the day, `emitted_usd` that of the costs which senders stated. `spent_usd` is the sum
-- of all stored costs.
CREATE TABLE day_traffic (
    deployment VARCHAR NOT NULL, "day" DATE NOT NULL, version VARCHAR, whole BOOLEAN NOT NULL,
    calls BIGINT NOT NULL, failed BIGINT NOT NULL, classified BIGINT NOT NULL, worded BIGINT NOT NULL, refused BIGINT NOT NULL,
    timed BIGINT NOT NULL, latency_ms DOUBLE, latency_p95_ms DOUBLE, priced BIGINT NOT NULL, cost_usd DOUBLE,
    emitted BIGINT NOT NULL, emitted_usd DOUBLE, counted BIGINT NOT NULL, input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL, spent BIGINT NOT NULL, spent_usd DOUBLE NOT NULL
);

-- Answered calls with an explicit correction. `late_days` is the number of days from the day of the call to its first
-- correction; -1 when all of them arrived before that day.
CREATE TABLE day_correction (
    deployment VARCHAR NOT NULL, "day" DATE NOT NULL, version VARCHAR, whole BOOLEAN NOT NULL, late_days BIGINT NOT NULL,
    calls BIGINT NOT NULL
);

-- The latencies of complete calls: bin n has those from 2^(n/8) to 2^((n+1)/8) ms.
CREATE TABLE day_latency (
    deployment VARCHAR NOT NULL, "day" DATE NOT NULL, version VARCHAR, bin BIGINT NOT NULL, calls BIGINT NOT NULL
);

-- The corrections that are linked to calls, and the signals that override them.
CREATE VIEW correction_signal AS
SELECT linked_interaction_id AS interaction_id
FROM feedback
WHERE is_correction AND linked_interaction_id IS NOT NULL
UNION ALL
SELECT feedback.linked_interaction_id
FROM feedback
JOIN feedback AS later ON later.overrides = feedback.id
WHERE feedback.is_correction AND feedback.linked_interaction_id IS NOT NULL;
