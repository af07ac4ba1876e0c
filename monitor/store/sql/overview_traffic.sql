-- How many production calls and corrections does each deployment have in the window and since the start of the day?
WITH calls AS (
    SELECT deployment, count(*) AS calls, count(*) FILTER (started_at >= $midnight) AS calls_today, max(received_at) AS last_call_at
    FROM current_interaction
    WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since
    GROUP BY deployment
),
corrected AS (
    SELECT deployment, count(*) AS corrections, count(*) FILTER ("at" >= $midnight) AS corrections_today
    FROM current_feedback AS signal
    WHERE is_correction AND "at" >= $since AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY deployment
)
SELECT coalesce(calls.deployment, corrected.deployment) AS deployment, coalesce(calls.calls, 0) AS calls,
    coalesce(calls.calls_today, 0) AS calls_today, calls.last_call_at, coalesce(corrected.corrections, 0) AS corrections,
    coalesce(corrected.corrections_today, 0) AS corrections_today
FROM calls
FULL JOIN corrected ON corrected.deployment = calls.deployment
