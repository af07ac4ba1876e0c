-- What spans that are no calls say of the calls of their trace, until those are here: kept for minutes.

CREATE TABLE span_context (
    deployment VARCHAR NOT NULL, trace_id VARCHAR NOT NULL, span_id VARCHAR NOT NULL, parent_span_id VARCHAR,
    received_at TIMESTAMPTZ NOT NULL, ended_at TIMESTAMPTZ, conversation_id VARCHAR, conversation_source VARCHAR,
    user_id VARCHAR, user_source VARCHAR, prompt_id VARCHAR, prompt_version VARCHAR, documents VARCHAR
);
