"""The metrics of the store, of backups, of the loops and of the daemon's own telemetry."""

from monitor.telemetry.metric import QUICK_S, Metric

DAEMON_METRICS: tuple[Metric, ...] = (
    Metric(
        name="driftd.store.size",
        kind="gauge",
        unit="By",
        description="Size of the database file and its write-ahead log.",
        action="Compare it with the free space. Shorten `retention` before the disk is full.",
    ),
    Metric(
        name="driftd.disk.free",
        kind="gauge",
        unit="By",
        description="Free space of the disk of the database.",
        action="See the runbook DiskNearlyFull.",
    ),
    Metric(
        name="driftd.disk.size",
        kind="gauge",
        unit="By",
        description="Size of the disk of the database.",
        action="Compare the free space with it.",
    ),
    Metric(
        name="driftd.disk.reserve",
        kind="gauge",
        unit="By",
        description="Free space below which driftd stores no new records.",
        action="Free space before the disk reaches it: see the runbook DiskNearlyFull.",
    ),
    Metric(
        name="driftd.store.write.refused",
        kind="gauge",
        unit="s",
        description="Time for which the store has refused all writes; 0 while it accepts them.",
        action="See the runbook StoreReadOnly.",
    ),
    Metric(
        name="driftd.backup.last_success.timestamp",
        kind="gauge",
        unit="s",
        description=(
            "Time when the newest backup was read completely, in seconds since 1970-01-01 UTC. No value before "
            "the first one."
        ),
        action="See the runbook BackupTooOld.",
    ),
    Metric(
        name="driftd.loop.steps",
        kind="counter",
        unit="{step}",
        description="Steps of a loop.",
        action="Not increasing: see the runbook LoopLate.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.rows",
        kind="counter",
        unit="{row}",
        description="Rows that a loop processed: links, changes, planned runs, outcomes, findings, notifications.",
        action="None.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.step.duration",
        kind="histogram",
        unit="s",
        description="Duration of a step that processed rows.",
        action="A rising value of a loop means more work than before, or a slow disk.",
        labels=("loop",),
        buckets=(*QUICK_S, 120.0, 600.0, 3600.0),
    ),
    Metric(
        name="driftd.loop.success.age",
        kind="gauge",
        unit="s",
        description="Time since the last successful step of a loop; before the first one, since its start.",
        action="Compare it with the pause of the loop; `driftd_loop_overdue_seconds` does so.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.overdue",
        kind="gauge",
        unit="s",
        description=(
            "Time since a loop should have ended its next step: a step that fails or takes long makes it grow."
        ),
        action="See the runbook LoopLate. Replays, compactions and backups take long by design.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.retries",
        kind="counter",
        unit="{retry}",
        description="Steps that failed with a temporary error and were retried.",
        action="See the runbook LoopRetrying.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.telemetry.export.failures",
        kind="counter",
        unit="{export}",
        description="Failed exports of the daemon's own traces or metrics.",
        action="Check the endpoint `telemetry.otlp_endpoint`; see the runbook TelemetryNotExported.",
        labels=("signal",),
    ),
)
