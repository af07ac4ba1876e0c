-- `turn_signal`, `dead_letter` and `span_content` are append-only. A verdict that is replaced, a dead letter that is removed
-- and texts that are used end with a fact. Maintenance removes the ended rows. Texts have no id: their span and the time of
-- their request identify them.
ALTER TABLE turn_signal ADD COLUMN revision BIGINT DEFAULT 0;
ALTER TABLE dead_letter ADD COLUMN revision BIGINT DEFAULT 0;
CREATE TABLE turn_signal_end (
    id VARCHAR NOT NULL, revision BIGINT NOT NULL
);
CREATE TABLE dead_letter_end (
    id VARCHAR NOT NULL, revision BIGINT NOT NULL
);
CREATE TABLE span_content_end (
    trace_id VARCHAR NOT NULL, span_id VARCHAR NOT NULL, received_at TIMESTAMPTZ NOT NULL
);

-- The rows that have not ended.
CREATE VIEW current_turn_signal AS
SELECT turn_signal.* EXCLUDE (revision)
FROM turn_signal
ANTI JOIN turn_signal_end AS ended ON ended.id = turn_signal.id AND ended.revision > turn_signal.revision;

CREATE VIEW current_dead_letter AS
SELECT dead_letter.* EXCLUDE (revision)
FROM dead_letter
ANTI JOIN dead_letter_end AS ended ON ended.id = dead_letter.id AND ended.revision > dead_letter.revision;

CREATE VIEW current_span_content AS
SELECT span_content.*
FROM span_content
ANTI JOIN span_content_end AS ended ON ended.trace_id = span_content.trace_id AND ended.span_id = span_content.span_id
    AND ended.received_at = span_content.received_at;

-- The same while there is no fact: no join.
CREATE VIEW folded_turn_signal AS SELECT * EXCLUDE (revision) FROM turn_signal;
CREATE VIEW folded_dead_letter AS SELECT * EXCLUDE (revision) FROM dead_letter;
CREATE VIEW folded_span_content AS SELECT * FROM span_content;
