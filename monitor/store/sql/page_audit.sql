-- Which entries of the audit log come next, the newest first?
SELECT *
FROM audit_entry
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($principal::VARCHAR IS NULL OR principal = $principal OR starts_with(principal, $principal || ' ('))
    AND ($operation::VARCHAR IS NULL OR contains(operation, $operation))
    AND ($kind::VARCHAR IS NULL OR kind = $kind)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at
        OR ("at" = $before_at AND number < TRY_CAST($before_tie::VARCHAR AS BIGINT)))
ORDER BY "at" DESC, number DESC
LIMIT $limit
