-- A rule is part of the identity of an alert about driftd's own health, so that two rules about one source have two alerts.

UPDATE finding
SET rule = CASE
    WHEN source LIKE 'replays of %' THEN 'ReplayFailed'
    WHEN source = 'database' THEN 'DatabaseRowsMissing'
    ELSE 'KafkaStalled'
END
WHERE source IS NOT NULL AND rule IS NULL;

UPDATE alert SET dedup_key = deployment || '/' || rule || '/' || source WHERE source IS NOT NULL;
