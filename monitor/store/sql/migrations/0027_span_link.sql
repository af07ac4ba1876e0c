-- Where spans that are no calls stand in their trace, kept for minutes: they connect a call with the call around it.
-- `own_values`: what a call said itself of the fields that another report of it has filled, as JSON by column.

CREATE TABLE span_link (
    trace_id VARCHAR NOT NULL, span_id VARCHAR NOT NULL, parent_span_id VARCHAR, is_tool BOOLEAN NOT NULL,
    received_at TIMESTAMPTZ NOT NULL
);
ALTER TABLE interaction ADD COLUMN own_values VARCHAR;
