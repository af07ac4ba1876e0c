-- How many production calls, failed calls and corrections does the deployment have since the start of the day?
SELECT
    (
        SELECT count(*) FROM current_interaction
        WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since
    ) AS calls,
    (
        SELECT count(*) FROM current_interaction
        WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since
            AND status = 'error'
    ) AS failed,
    (
        SELECT count(*) FROM current_feedback AS signal
        WHERE deployment = $deployment AND is_correction AND "at" >= $since
            AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    ) AS corrections
