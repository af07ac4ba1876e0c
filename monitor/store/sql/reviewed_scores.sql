-- What did reviewers decide on the sampled turns of a version, and which score does the verdict have?
-- The newest review of a turn counts.
SELECT turn_signal.score, max_by(turn_review.corrects, turn_review."at") AS corrects
FROM current_turn_signal AS turn_signal
JOIN turn_review ON turn_review.signal_id = turn_signal.id AND turn_review.version = turn_signal.version
WHERE turn_signal.deployment = $deployment AND turn_signal.version = $version
    AND turn_signal.detector IN ('text', 'rephrase') AND turn_review.sampled
GROUP BY turn_signal.id, turn_signal.score
ORDER BY turn_signal.id
