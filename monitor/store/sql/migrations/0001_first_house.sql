-- The first house. Big tables (interaction, span_content, feedback, dead_letter, outcome, score) carry no keys,
-- indexes or defaults, so that the same statements run on DuckLake; small control tables may.

CREATE TABLE interaction (
    id VARCHAR NOT NULL, deployment VARCHAR NOT NULL, origin VARCHAR NOT NULL, run_id VARCHAR,
    started_at TIMESTAMPTZ NOT NULL, received_at TIMESTAMPTZ NOT NULL, duration_ms DOUBLE,
    source VARCHAR NOT NULL, convention VARCHAR NOT NULL,
    conversation_id VARCHAR, user_id VARCHAR, trace_id VARCHAR, span_id VARCHAR, parent_span_id VARCHAR,
    response_id VARCHAR, provider VARCHAR, request_model VARCHAR, response_model VARCHAR, system_fingerprint VARCHAR,
    prompt_id VARCHAR, prompt_version VARCHAR, prompt_hash VARCHAR, system_prompt VARCHAR,
    input_messages VARCHAR NOT NULL, output_messages VARCHAR NOT NULL, input_text VARCHAR NOT NULL, output_text VARCHAR NOT NULL,
    finish_reason VARCHAR, status VARCHAR NOT NULL, error_class VARCHAR,
    input_tokens BIGINT, output_tokens BIGINT, temperature DOUBLE, top_p DOUBLE, max_tokens BIGINT, seed BIGINT,
    content_state VARCHAR NOT NULL, category VARCHAR, identity VARCHAR, attributes VARCHAR NOT NULL
);

CREATE TABLE span_content (
    trace_id VARCHAR NOT NULL, span_id VARCHAR NOT NULL, received_at TIMESTAMPTZ NOT NULL,
    system_prompt VARCHAR, input_messages VARCHAR NOT NULL, output_messages VARCHAR NOT NULL, finish_reason VARCHAR
);

CREATE TABLE feedback (
    id VARCHAR NOT NULL, deployment VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, received_at TIMESTAMPTZ NOT NULL,
    kind VARCHAR NOT NULL, source VARCHAR NOT NULL, value DOUBLE, text VARCHAR, comment VARCHAR, expected VARCHAR,
    failure_category VARCHAR, interaction_id VARCHAR, trace_id VARCHAR, span_id VARCHAR, response_id VARCHAR,
    conversation_id VARCHAR, is_correction BOOLEAN NOT NULL, linked_interaction_id VARCHAR, link_method VARCHAR
);

CREATE TABLE dead_letter (
    id VARCHAR NOT NULL, received_at TIMESTAMPTZ NOT NULL, source VARCHAR NOT NULL, code VARCHAR NOT NULL,
    reason VARCHAR NOT NULL, raw BLOB NOT NULL, raw_bytes BIGINT NOT NULL
);

CREATE TABLE version (
    id VARCHAR NOT NULL, deployment VARCHAR NOT NULL, label VARCHAR NOT NULL, identity VARCHAR NOT NULL,
    first_seen TIMESTAMPTZ NOT NULL, how VARCHAR NOT NULL, evidence VARCHAR NOT NULL,
    PRIMARY KEY (deployment, id)
);

CREATE TABLE change (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, noted_at TIMESTAMPTZ NOT NULL,
    kind VARCHAR NOT NULL, how VARCHAR NOT NULL, from_version VARCHAR, to_version VARCHAR NOT NULL, evidence VARCHAR NOT NULL
);

CREATE TABLE candidate (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, interaction_id VARCHAR NOT NULL, feedback_id VARCHAR NOT NULL,
    input_text VARCHAR NOT NULL, expected VARCHAR NOT NULL, category VARCHAR NOT NULL, failure_category VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL, state VARCHAR NOT NULL, proposed_at TIMESTAMPTZ NOT NULL,
    decided_at TIMESTAMPTZ, decided_by VARCHAR,
    UNIQUE (deployment, content_hash)
);

CREATE TABLE eval_set (
    name VARCHAR NOT NULL, kind VARCHAR NOT NULL, revision VARCHAR NOT NULL, created_at TIMESTAMPTZ NOT NULL,
    cases BIGINT NOT NULL, sealed BOOLEAN NOT NULL, canary VARCHAR NOT NULL, parent VARCHAR, origin VARCHAR NOT NULL,
    PRIMARY KEY (name, revision)
);

CREATE TABLE eval_case (
    set_name VARCHAR NOT NULL, revision VARCHAR NOT NULL, position BIGINT NOT NULL, case_id VARCHAR NOT NULL,
    category VARCHAR NOT NULL, severity VARCHAR NOT NULL, content BLOB NOT NULL, content_mac VARCHAR NOT NULL,
    input_mac VARCHAR NOT NULL
);

CREATE TABLE run (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL, set_kind VARCHAR NOT NULL,
    revision VARCHAR NOT NULL, trigger VARCHAR NOT NULL, planned_at TIMESTAMPTZ NOT NULL, state VARCHAR NOT NULL,
    trace_prefix VARCHAR NOT NULL, samples BIGINT NOT NULL, cases BIGINT NOT NULL, change_id VARCHAR, version VARCHAR,
    started_at TIMESTAMPTZ, finished_at TIMESTAMPTZ, manifest VARCHAR, error VARCHAR
);

CREATE TABLE outcome (
    run_id VARCHAR NOT NULL, case_id VARCHAR NOT NULL, sample BIGINT NOT NULL, started_at TIMESTAMPTZ NOT NULL,
    attempts BIGINT NOT NULL, trace_id VARCHAR NOT NULL, text VARCHAR, text_sealed BLOB, latency_ms DOUBLE,
    finish_reason VARCHAR, model VARCHAR, reported_at TIMESTAMPTZ, system_fingerprint VARCHAR, response_id VARCHAR,
    input_tokens BIGINT, output_tokens BIGINT, cost_usd DOUBLE, reported VARCHAR NOT NULL,
    error_class VARCHAR, error_message VARCHAR
);

CREATE TABLE score (
    run_id VARCHAR NOT NULL, case_id VARCHAR NOT NULL, sample BIGINT NOT NULL, scorer VARCHAR NOT NULL,
    scorer_version VARCHAR NOT NULL, value DOUBLE, label VARCHAR NOT NULL, failure_category VARCHAR NOT NULL,
    reason VARCHAR, reason_sealed BLOB
);

CREATE TABLE finding (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, signal VARCHAR NOT NULL,
    segment VARCHAR NOT NULL, set_name VARCHAR NOT NULL, set_kind VARCHAR NOT NULL, verdict VARCHAR NOT NULL,
    severity VARCHAR NOT NULL, reason VARCHAR NOT NULL, alpha DOUBLE NOT NULL, candidate_run VARCHAR NOT NULL,
    baseline_run VARCHAR, from_version VARCHAR, to_version VARCHAR, change_id VARCHAR, comparison VARCHAR,
    alerted BOOLEAN NOT NULL
);

CREATE TABLE alert (
    id VARCHAR PRIMARY KEY, dedup_key VARCHAR NOT NULL, deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL,
    state VARCHAR NOT NULL, severity VARCHAR NOT NULL, summary VARCHAR NOT NULL, finding_id VARCHAR NOT NULL,
    last_finding_id VARCHAR NOT NULL, pending_since TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL,
    fired_at TIMESTAMPTZ, resolved_at TIMESTAMPTZ, from_version VARCHAR, to_version VARCHAR, baseline_run VARCHAR
);

CREATE TABLE notification (
    id VARCHAR PRIMARY KEY, alert_id VARCHAR NOT NULL, receiver VARCHAR NOT NULL, reason VARCHAR NOT NULL,
    payload VARCHAR NOT NULL, state VARCHAR NOT NULL, planned_at TIMESTAMPTZ NOT NULL, attempt BIGINT NOT NULL,
    next_attempt_at TIMESTAMPTZ, sent_at TIMESTAMPTZ, error VARCHAR
);

CREATE TABLE planned_instant (
    schedule VARCHAR NOT NULL, deployment VARCHAR NOT NULL, instant TIMESTAMPTZ NOT NULL, handled_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (schedule, deployment, instant)
);

CREATE TABLE reveal_log (
    "at" TIMESTAMPTZ NOT NULL, who VARCHAR NOT NULL, what VARCHAR NOT NULL, set_name VARCHAR NOT NULL,
    revision VARCHAR NOT NULL, case_ids VARCHAR NOT NULL
);

CREATE TABLE idempotency (
    key VARCHAR NOT NULL, route VARCHAR NOT NULL, request_hash VARCHAR NOT NULL, status BIGINT NOT NULL,
    body VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (key, route)
);
