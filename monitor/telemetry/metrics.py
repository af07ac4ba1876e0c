"""Every metric of the daemon, declared once. docs/telemetry.md has the same table, and a test compares them.

A label has few values: a constant of the code or a name of the configuration. It is never an id and never a text.
"""

from monitor.telemetry.ingest_metrics import INGEST_METRICS
from monitor.telemetry.judge_metrics import JUDGE_METRICS
from monitor.telemetry.metric import CALL_S, LATE_S, QUICK_S, Metric

METRICS: tuple[Metric, ...] = (
    *INGEST_METRICS,
    Metric(
        name="driftd.replay.calls",
        kind="counter",
        unit="{call}",
        description=(
            "Calls to a target, including retries, by result: answered, a class of error, or abandoned (time "
            "limit, stop)."
        ),
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.replay.call.duration",
        kind="histogram",
        unit="s",
        description="Duration of an answered call.",
        labels=("deployment",),
        buckets=CALL_S,
    ),
    Metric(
        name="driftd.replay.tokens",
        kind="counter",
        unit="{token}",
        description="Tokens that answers reported.",
        labels=("deployment", "direction"),
    ),
    Metric(
        name="driftd.replay.cost",
        kind="counter",
        unit="usd",
        description="Cost in US dollars of answers with a configured price.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.replay.outcomes",
        kind="counter",
        unit="{outcome}",
        description="Committed outcomes: passed, failed, unscored (a scorer had no verdict) or error (no answer).",
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.replay.runs",
        kind="counter",
        unit="{run}",
        description="Replays that ended, by state: complete, failed or cancelled.",
        labels=("deployment", "state"),
    ),
    *JUDGE_METRICS,
    Metric(
        name="driftd.findings",
        kind="counter",
        unit="{finding}",
        description="Findings, by verdict.",
        labels=("deployment", "verdict"),
    ),
    Metric(
        name="driftd.alerts.open",
        kind="gauge",
        unit="{alert}",
        description="Open alerts by state (pending or firing) and severity (info, warning or critical).",
        labels=("deployment", "state", "severity"),
    ),
    Metric(
        name="driftd.alert.conditions",
        kind="gauge",
        unit="{condition}",
        description="Conditions of driftd's own health by alerting rule and state (firing, clear or unknown).",
        labels=("rule", "deployment", "state"),
    ),
    Metric(
        name="driftd.set.pass_rate",
        kind="gauge",
        unit="{share}",
        description="Passed share of the scored cases, from 0 to 1, in the newest complete replay of a set.",
        labels=("deployment", "set", "kind"),
    ),
    Metric(
        name="driftd.set.verdict.age",
        kind="gauge",
        unit="s",
        description=(
            "Time since the last verdict ok, improvement or regression of a set; failed and insufficient do not count."
        ),
        labels=("deployment", "set", "kind"),
    ),
    Metric(
        name="driftd.production.correction_rate",
        kind="gauge",
        unit="{share}",
        description="Corrections per production call over the last seven days, updated every five minutes.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.turns",
        kind="counter",
        unit="{turn}",
        description="Turns of users that were judged, by result: correction or other.",
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.notification.deliveries",
        kind="counter",
        unit="{delivery}",
        description=(
            "Attempts to deliver a notification: sent, retrying (the receiver is unavailable) or refused. "
            "driftd repeats both failures."
        ),
        labels=("kind", "state"),
    ),
    Metric(
        name="driftd.notification.repetitions",
        kind="counter",
        unit="{repetition}",
        description="Repetitions of alerts to Alertmanager: sent (at least one peer accepted them) or failed.",
        labels=("state",),
    ),
    Metric(
        name="driftd.notification.undelivered",
        kind="gauge",
        unit="{notification}",
        description="Notifications that are not delivered yet.",
        labels=("receiver",),
    ),
    Metric(
        name="driftd.notification.undelivered.age",
        kind="gauge",
        unit="s",
        description="Age of the oldest undelivered notification; 0 without one.",
        labels=("receiver",),
    ),
    Metric(
        name="driftd.schedule.lateness",
        kind="histogram",
        unit="s",
        description="Time from the planned time of a night to the planning of its runs.",
        buckets=LATE_S,
    ),
    Metric(
        name="driftd.schedule.last_success.timestamp",
        kind="gauge",
        unit="s",
        description="Time when the newest complete replay of a schedule ended, in seconds since 1970-01-01 UTC.",
        labels=("schedule", "deployment"),
    ),
    Metric(
        name="driftd.traffic_reports",
        kind="counter",
        unit="{traffic_report}",
        description="Traffic reports, by state: made, insufficient (too few calls) or failed.",
        labels=("deployment", "state"),
    ),
    Metric(
        name="driftd.store.size",
        kind="gauge",
        unit="By",
        description="Size of the database file and its write-ahead log.",
    ),
    Metric(
        name="driftd.disk.free",
        kind="gauge",
        unit="By",
        description="Free space of the disk of the database.",
    ),
    Metric(
        name="driftd.disk.reserve",
        kind="gauge",
        unit="By",
        description="Free space below which driftd stores no new records.",
    ),
    Metric(name="driftd.loop.steps", kind="counter", unit="{step}", description="Steps of a loop.", labels=("loop",)),
    Metric(
        name="driftd.loop.rows",
        kind="counter",
        unit="{row}",
        description="Rows that a loop processed: links, changes, planned runs, outcomes, findings, notifications.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.step.duration",
        kind="histogram",
        unit="s",
        description="Duration of a step that processed rows.",
        labels=("loop",),
        buckets=(*QUICK_S, 120.0, 600.0, 3600.0),
    ),
    Metric(
        name="driftd.loop.retries",
        kind="counter",
        unit="{retry}",
        description="Steps that failed with a temporary error and were retried.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.telemetry.export.failures",
        kind="counter",
        unit="{export}",
        description="Failed exports of the daemon's own traces or metrics.",
        labels=("signal",),
    ),
)
BY_NAME = {metric.name: metric for metric in METRICS}
