-- Pauses of schedules: who paused a schedule, when, until when, and who resumed it. A pause is never deleted.

CREATE TABLE schedule_pause (
    id VARCHAR PRIMARY KEY, schedule VARCHAR NOT NULL, paused_at TIMESTAMPTZ NOT NULL, paused_by VARCHAR NOT NULL,
    ends_at TIMESTAMPTZ, reason VARCHAR, resumed_at TIMESTAMPTZ, resumed_by VARCHAR
);
