-- The lifecycle of an alert: its rule, its group, who acknowledged it, and the verdict of a person. A notification is about
-- a group of alerts. Older alerts are groups of their own; their rule is derived from their subject.

ALTER TABLE finding ADD COLUMN rule VARCHAR;

ALTER TABLE alert ADD COLUMN rule VARCHAR;
ALTER TABLE alert ADD COLUMN category VARCHAR;
ALTER TABLE alert ADD COLUMN change_id VARCHAR;
ALTER TABLE alert ADD COLUMN group_key VARCHAR;
ALTER TABLE alert ADD COLUMN group_id VARCHAR;
ALTER TABLE alert ADD COLUMN clear_since TIMESTAMPTZ;
ALTER TABLE alert ADD COLUMN acknowledged_at TIMESTAMPTZ;
ALTER TABLE alert ADD COLUMN acknowledged_by VARCHAR;
ALTER TABLE alert ADD COLUMN acknowledged_note VARCHAR;
ALTER TABLE alert ADD COLUMN verdict VARCHAR;
ALTER TABLE alert ADD COLUMN verdict_at TIMESTAMPTZ;
ALTER TABLE alert ADD COLUMN verdict_by VARCHAR;
ALTER TABLE alert ADD COLUMN verdict_note VARCHAR;
ALTER TABLE alert ADD COLUMN flapping BOOLEAN;

UPDATE alert
SET group_id = id,
    group_key = dedup_key,
    flapping = false,
    rule = CASE
        WHEN series = 'corrections' THEN 'CorrectionRate'
        WHEN series = 'refusals' THEN 'RefusalRate'
        WHEN series = 'availability' THEN 'AvailabilityDrop'
        WHEN series = 'latency' THEN 'LatencyRegression'
        WHEN series = 'cost' THEN 'CostRegression'
        WHEN series = 'traffic' THEN 'TrafficShift'
        WHEN source LIKE 'replays of %' THEN 'ReplayFailed'
        WHEN source = 'database' THEN 'DatabaseRowsMissing'
        WHEN source IS NOT NULL THEN 'KafkaStalled'
        ELSE 'QualityRegression'
    END;

ALTER TABLE notification ADD COLUMN group_id VARCHAR;
UPDATE notification SET group_id = alert_id;

CREATE TABLE alert_event (
    id VARCHAR PRIMARY KEY, alert_id VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, kind VARCHAR NOT NULL,
    who VARCHAR NOT NULL, note VARCHAR
);

CREATE TABLE silence (
    id VARCHAR PRIMARY KEY, matchers VARCHAR NOT NULL, created_by VARCHAR NOT NULL, comment VARCHAR NOT NULL,
    created_at TIMESTAMPTZ NOT NULL, starts_at TIMESTAMPTZ NOT NULL, ends_at TIMESTAMPTZ NOT NULL,
    expired_at TIMESTAMPTZ, expired_by VARCHAR
);
