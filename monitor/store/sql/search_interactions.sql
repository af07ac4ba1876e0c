-- Which calls of a window of time match every filter, the newest first? A filter that is NULL matches all.
SELECT *
FROM current_interaction
WHERE started_at >= $low AND started_at < $high
    AND ($before_at::TIMESTAMPTZ IS NULL OR started_at < $before_at OR (started_at = $before_at AND id < $before_tie))
    AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND (NOT $traffic::BOOLEAN OR (origin = 'production' AND duplicate_of IS NULL))
    AND ($version::VARCHAR IS NULL OR identity = $version)
    AND ($user::VARCHAR IS NULL OR user_id = $user OR user_id = $user_hash)
    AND ($category::VARCHAR IS NULL OR category = $category)
    AND ($trace_id::VARCHAR IS NULL OR trace_id = $trace_id)
    AND ($conversation_id::VARCHAR IS NULL OR conversation_id = $conversation_id)
    AND ($status::VARCHAR IS NULL OR status = $status)
    AND ($error_class::VARCHAR IS NULL OR error_class = $error_class)
    AND ($refused::BOOLEAN IS NULL OR $refused = coalesce(refusal = 'yes', FALSE))
    AND ($feedback::BOOLEAN IS NULL OR $feedback = (id IN (
        SELECT linked_interaction_id FROM current_feedback WHERE linked_interaction_id IS NOT NULL
    )))
    AND ($feedback_kind::VARCHAR IS NULL OR id IN (
        SELECT linked_interaction_id FROM current_feedback WHERE kind = $feedback_kind AND linked_interaction_id IS NOT NULL
    ))
    AND ($corrected::BOOLEAN IS NULL OR $corrected = (id IN (
        SELECT linked_interaction_id FROM current_feedback WHERE is_correction AND linked_interaction_id IS NOT NULL
    )))
    AND ($text::VARCHAR IS NULL OR contains(lower(input_text), $text) OR contains(lower(output_text), $text))
ORDER BY started_at DESC, id DESC
LIMIT $limit
