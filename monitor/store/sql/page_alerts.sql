-- Which alerts come next in the list, the newest episode first?
SELECT *
FROM alert
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($states::VARCHAR[] IS NULL OR state IN (SELECT unnest($states::VARCHAR[])))
    AND ($metric::VARCHAR IS NULL OR metric = $metric)
    AND ($severity::VARCHAR IS NULL OR severity = $severity)
    AND (
        $text::VARCHAR IS NULL
        OR contains(lower(concat_ws(' ', id, rule, set_name, series, source, category, metric, summary)), lower($text))
    )
    AND ($since::TIMESTAMPTZ IS NULL OR pending_since >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR pending_since < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR pending_since < $before_at OR (pending_since = $before_at AND id < $before_tie))
ORDER BY pending_since DESC, id DESC
LIMIT $limit
