-- How many turns did a version of the detector judge, and what did reviewers decide on its random sample?
-- The newest review of a turn counts.
WITH decided AS (
    SELECT signal_id, max_by(corrects, "at") AS corrects
    FROM turn_review
    WHERE version = $version AND deployment = $deployment
    GROUP BY signal_id
    HAVING bool_or(sampled)
)
SELECT count(*) AS turns, count(*) FILTER (flagged) AS flagged,
    count(corrects) FILTER (flagged) AS reviewed_flagged, count(*) FILTER (flagged AND corrects) AS confirmed,
    count(corrects) FILTER (NOT flagged) AS reviewed_unflagged, count(*) FILTER (NOT flagged AND corrects) AS missed
FROM current_turn_signal AS turn_signal
LEFT JOIN decided ON decided.signal_id = turn_signal.id
WHERE deployment = $deployment AND version = $version AND detector <> 'event'
