-- Which categories do the newest corrections have, and what did the user request and write?
SELECT candidate.id, candidate.failure_category AS category,
    concat_ws(
        chr(10), left(candidate.input_text, 4000), left(signal.comment, 2000), left(turn_signal.quote, 2000)
    ) AS text
FROM candidate
LEFT JOIN current_feedback AS signal ON signal.id = candidate.feedback_id
LEFT JOIN current_turn_signal AS turn_signal ON turn_signal.id = candidate.feedback_id
WHERE candidate.deployment = $deployment AND candidate.taxonomy = $taxonomy
ORDER BY candidate.proposed_at DESC, candidate.id DESC
LIMIT $limit
