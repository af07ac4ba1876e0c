-- `feedback` is append-only. What happens to a signal later is a row of its own: `feedback_link` has the interactions that
-- were found for it, `feedback_end` the ends of its earlier rows, after a revision or a retraction. `revision` orders the
-- rows and the facts of one signal; a fact concerns the rows with a smaller one. Maintenance folds facts into `feedback`.
DROP VIEW correction_signal;
ALTER TABLE feedback ADD COLUMN revision BIGINT DEFAULT 0;
CREATE TABLE feedback_link (
    id VARCHAR NOT NULL, revision BIGINT NOT NULL, deployment VARCHAR NOT NULL, linked_interaction_id VARCHAR NOT NULL,
    link_method VARCHAR NOT NULL
);
CREATE TABLE feedback_end (
    id VARCHAR NOT NULL, revision BIGINT NOT NULL
);

-- Each signal once, as it is now.
CREATE VIEW current_feedback AS
SELECT feedback.id, coalesce(link.deployment, feedback.deployment) AS deployment, feedback."at", feedback.received_at,
    feedback.kind, feedback.source, feedback."value", feedback.text, feedback.comment, feedback.expected,
    feedback.failure_category, feedback.interaction_id, feedback.trace_id, feedback.span_id, feedback.response_id,
    feedback.conversation_id, feedback.is_correction,
    coalesce(link.linked_interaction_id, feedback.linked_interaction_id) AS linked_interaction_id,
    coalesce(link.link_method, feedback.link_method) AS link_method, feedback.name, feedback.label, feedback.score,
    feedback.record, feedback.overrides, feedback.limited_to
FROM feedback
LEFT JOIN (
    SELECT id, max(revision) AS revision, max_by(deployment, revision) AS deployment,
        max_by(linked_interaction_id, revision) AS linked_interaction_id, max_by(link_method, revision) AS link_method
    FROM feedback_link
    GROUP BY id
) AS link ON link.id = feedback.id AND link.revision > feedback.revision
ANTI JOIN feedback_end AS ended ON ended.id = feedback.id AND ended.revision > feedback.revision;

-- The same while there is no fact: no join.
CREATE VIEW folded_feedback AS SELECT * EXCLUDE (revision) FROM feedback;

-- The signals that override another one. A link changes nothing here.
CREATE VIEW feedback_override AS
SELECT feedback.id, feedback.overrides
FROM feedback
ANTI JOIN feedback_end AS ended ON ended.id = feedback.id AND ended.revision > feedback.revision
WHERE feedback.overrides IS NOT NULL;

-- The corrections that are linked to calls, and the signals that override them.
CREATE VIEW correction_signal AS
SELECT linked_interaction_id AS interaction_id
FROM current_feedback
WHERE is_correction AND linked_interaction_id IS NOT NULL
UNION ALL
SELECT signal.linked_interaction_id
FROM current_feedback AS signal
JOIN feedback_override AS later ON later.overrides = signal.id
WHERE signal.is_correction AND signal.linked_interaction_id IS NOT NULL;
