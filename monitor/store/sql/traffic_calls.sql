-- Which production calls does the deployment have in a window?
-- A limited sample, the same one for the same rows. NULL is a missing value: a text that did not arrive, the length of a
-- truncated text, the reply of a failed call.
WITH sampled AS (
    SELECT *,
        CASE WHEN input_text <> '' AND content_state <> 'absent' THEN input_text END AS asked,
        CASE
            WHEN content_state = 'absent' THEN NULL
            WHEN output_text <> '' OR (content_state = 'full' AND status = 'ok') THEN output_text
        END AS answered
    FROM current_interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
    ORDER BY md5(id), id
    LIMIT $max_calls
),
signals AS (
    SELECT linked_interaction_id AS id, bool_or(is_correction) AS corrected,
        min(failure_category) FILTER (WHERE is_correction) AS failure_category
    FROM current_feedback AS signal
    WHERE "at" >= $since AND linked_interaction_id IN (SELECT id FROM sampled)
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY linked_interaction_id
)
SELECT sampled.id, $window AS "window", left(asked, $text_chars) AS input_text, left(answered, $text_chars) AS output_text,
    CASE WHEN content_state <> 'truncated' THEN length(asked) END AS input_chars,
    CASE WHEN content_state <> 'truncated' THEN length(answered) END AS output_chars,
    input_tokens, output_tokens, duration_ms AS latency_ms, category, status, finish_reason, content_state AS content,
    coalesce(signals.corrected, false) AS corrected, signals.failure_category
FROM sampled
LEFT JOIN signals ON signals.id = sampled.id
ORDER BY sampled.started_at, sampled.id
