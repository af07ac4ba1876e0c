-- `interaction` is append-only. A call whose texts, attributes or kept report change later is appended again, with a higher
-- `revision`, and a row of `interaction_end` ends its earlier rows. Maintenance removes the ended rows.
ALTER TABLE interaction ADD COLUMN revision BIGINT DEFAULT 0;
CREATE TABLE interaction_end (
    id VARCHAR NOT NULL, revision BIGINT NOT NULL, received_at TIMESTAMPTZ NOT NULL
);

-- Each call once, as it is now.
CREATE VIEW current_interaction AS
SELECT interaction.* EXCLUDE (revision)
FROM interaction
ANTI JOIN interaction_end AS ended ON ended.id = interaction.id AND ended.received_at = interaction.received_at
    AND ended.revision > interaction.revision;

-- The same while there is no fact: no join.
CREATE VIEW folded_interaction AS SELECT * EXCLUDE (revision) FROM interaction;
