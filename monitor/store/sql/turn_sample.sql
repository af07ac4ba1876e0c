-- Which turns of a version come next in its review sample?
-- The order is random and fixed by the seed: flagged and unflagged turns apart, without those with a review of it.
SELECT * EXCLUDE (place)
FROM (
    SELECT turn_signal.*, row_number() OVER (PARTITION BY flagged ORDER BY md5($seed || ':' || id), id) AS place
    FROM current_turn_signal AS turn_signal
    WHERE deployment = $deployment AND version = $version AND detector <> 'event'
        AND id NOT IN (SELECT signal_id FROM turn_review WHERE version = $version)
)
WHERE place <= CASE WHEN flagged THEN $flagged ELSE $unflagged END
ORDER BY md5($seed || ':' || id), id
