-- Remove the pages of a deployment except the newest ones. The numbers stay.
UPDATE traffic_report SET path = NULL
WHERE deployment = $deployment AND path IS NOT NULL AND id NOT IN (
    SELECT kept.id FROM traffic_report AS kept
    WHERE kept.deployment = $deployment AND kept.path IS NOT NULL
    ORDER BY kept."at" DESC, kept.id DESC
    LIMIT $keep
)
