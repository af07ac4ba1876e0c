-- What was each UTC day of a deployment's production traffic like? A day without a call has no row.
-- A correction counts on the day of its call, if it was given by the end of the late days: every day has had the same time.
-- Of computed costs those of the newest price table count: another table is no change of the product.
WITH logged AS (
    SELECT *, replace(replace(replace(
            translate(replace(left(output_text, 2 * $refusal_chars), '’', ''''), E'\t\n\r\f', '    '),
        '  ', ' '), '  ', ' '), '  ', ' ') AS opening
    FROM interaction
    WHERE deployment = $deployment AND origin = 'production' AND dup_of IS NULL AND started_at >= $since AND started_at < $until
),
newest AS (
    SELECT max_by(price_table, started_at) AS price_table FROM logged WHERE $cost_of_calls
),
call AS (
    SELECT id, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day", status = 'error' AS failed,
        CASE WHEN status = 'ok' THEN duration_ms END AS latency_ms,
        CASE
            WHEN status <> 'ok' THEN NULL
            WHEN $cost_of_calls THEN CASE WHEN cost_source = 'emitted' OR logged.price_table = newest.price_table THEN cost_usd END
            ELSE ($input_usd_per_mtok::DOUBLE * input_tokens + $output_usd_per_mtok::DOUBLE * output_tokens) / 1e6
        END AS cost_usd,
        CASE WHEN status <> 'error' AND content_state <> 'absent' AND (output_text <> '' OR content_state = 'full') THEN
            regexp_matches(lower(left(trim(
                CASE WHEN contains(opening, '  ') THEN regexp_replace(opening, ' +', ' ', 'g') ELSE opening END
            ), $refusal_chars)), $refusal)
        END AS refused
    FROM logged, newest
),
corrected AS (
    SELECT DISTINCT call.id
    FROM call
    JOIN feedback ON feedback.linked_interaction_id = call.id
    WHERE feedback.is_correction AND feedback."at" >= $since
        AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
        AND feedback."at" AT TIME ZONE 'UTC' < call."day" + to_days(CAST($late_days AS INTEGER) + 1)
)
SELECT call."day", count(*) AS calls, count(*) FILTER (call.failed) AS failed, count(*) FILTER (NOT call.failed) AS answered,
    count(corrected.id) FILTER (NOT call.failed) AS corrected,
    count(call.refused) AS worded, count(*) FILTER (call.refused) AS refused,
    count(call.latency_ms) AS timed, quantile_disc(call.latency_ms, 0.5) AS latency_ms,
    count(call.cost_usd) AS priced, quantile_disc(call.cost_usd, 0.5) AS cost_usd
FROM call
LEFT JOIN corrected ON corrected.id = call.id
GROUP BY call."day"
ORDER BY call."day"
