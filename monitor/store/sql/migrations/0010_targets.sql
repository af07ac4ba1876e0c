-- The time to the first token, and the tools that a model called on its way to the answer: their arguments restate the
-- case, so they are sealed where its set is. And the text of a prompt that was told with an announcement.

ALTER TABLE outcome ADD COLUMN ttft_ms DOUBLE;
ALTER TABLE outcome ADD COLUMN tool_calls VARCHAR;
ALTER TABLE outcome ADD COLUMN tool_calls_sealed BLOB;

CREATE TABLE prompt (
    deployment VARCHAR NOT NULL, version VARCHAR NOT NULL, text VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (deployment, version)
);
