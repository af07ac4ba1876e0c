-- A candidate keeps what a reviewer needs and what a case needs; every decision is recorded. Candidates that nobody
-- decided are removed where their correction is stored: the link loop proposes them again, with these columns filled.

ALTER TABLE candidate ADD COLUMN messages VARCHAR DEFAULT '[{"role":"user"}]';
ALTER TABLE candidate ADD COLUMN edited_messages VARCHAR;
ALTER TABLE candidate ADD COLUMN system_prompt VARCHAR;
ALTER TABLE candidate ADD COLUMN documents VARCHAR DEFAULT '[]';
ALTER TABLE candidate ADD COLUMN bad_output VARCHAR DEFAULT '';
ALTER TABLE candidate ADD COLUMN must_include VARCHAR DEFAULT '[]';
ALTER TABLE candidate ADD COLUMN must_not VARCHAR DEFAULT '[]';
ALTER TABLE candidate ADD COLUMN severity VARCHAR DEFAULT 'medium';
ALTER TABLE candidate ADD COLUMN reason VARCHAR;
ALTER TABLE candidate ADD COLUMN revision BIGINT DEFAULT 0;

DELETE FROM candidate
WHERE state = 'proposed' AND feedback_id IN (SELECT id FROM feedback)
    AND interaction_id IN (SELECT id FROM interaction);

UPDATE candidate SET bad_output = interaction.output_text
FROM interaction WHERE interaction.id = candidate.interaction_id;

CREATE TABLE candidate_decision (
    id VARCHAR NOT NULL, candidate_id VARCHAR NOT NULL, deployment VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL,
    who VARCHAR NOT NULL, action VARCHAR NOT NULL, state VARCHAR NOT NULL, changed VARCHAR NOT NULL, reason VARCHAR
);
