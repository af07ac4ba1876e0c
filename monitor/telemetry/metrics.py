"""Every metric of the daemon, declared once. docs/telemetry.md holds this table and a test compares them.

A label takes few values: a constant of the code or a name of the configuration. Never an id, never a text.
"""

from dataclasses import dataclass
from typing import Literal

QUICK_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
CALL_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0)
LATE_S = (1.0, 5.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 6 * 3600.0, 24 * 3600.0)
_SUFFIXES = {"s": "_seconds", "By": "_bytes", "usd": "_usd"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One declared instrument; `labels` are all the attribute keys it carries, `buckets` the bounds of a histogram."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    description: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    @property
    def prometheus_name(self) -> str:
        """What the family is called at /metrics: unit and `_total` as suffixes.

        >>> Metric(name="driftd.replay.cost", kind="counter", unit="usd", description="").prometheus_name
        'driftd_replay_cost_usd_total'
        """
        suffix = _SUFFIXES.get(self.unit, "") + ("_total" if self.kind == "counter" else "")
        return self.name.replace(".", "_") + suffix


METRICS = (
    Metric(
        name="driftd.intake.rows",
        kind="gauge",
        unit="{row}",
        description="Rows in the ingest queue that are not committed yet.",
    ),
    Metric(
        name="driftd.intake.capacity",
        kind="gauge",
        unit="{row}",
        description="Capacity of the ingest queue in rows. When it is full, senders get 429.",
    ),
    Metric(
        name="driftd.connections.open",
        kind="gauge",
        unit="{connection}",
        description="Open connections of an HTTP listener.",
        labels=("listener",),
    ),
    Metric(
        name="driftd.connections.closed",
        kind="counter",
        unit="{connection}",
        description=(
            "Connections that an HTTP listener closed: replaced and refused because of their number, "
            "slow_headers, idle and stalled because of a timeout."
        ),
        labels=("listener", "reason"),
    ),
    Metric(
        name="driftd.auth.failures",
        kind="counter",
        unit="{request}",
        description=(
            "Requests with an unknown token: rejected (401), or throttled (429) after several from one address."
        ),
        labels=("listener", "result"),
    ),
    Metric(
        name="driftd.ingest.batches",
        kind="counter",
        unit="{batch}",
        description="Batches of senders, by result: committed or failed.",
        labels=("result",),
    ),
    Metric(
        name="driftd.ingest.accepted",
        kind="counter",
        unit="{row}",
        description="New interactions and feedback that were committed.",
    ),
    Metric(
        name="driftd.ingest.duplicates",
        kind="counter",
        unit="{row}",
        description="Interactions and feedback that were stored before.",
    ),
    Metric(
        name="driftd.ingest.dead_letters",
        kind="counter",
        unit="{record}",
        description="Records that could not be decoded and were stored as dead letters.",
        labels=("source", "code"),
    ),
    Metric(
        name="driftd.ingest.unread",
        kind="counter",
        unit="{value}",
        description=(
            "Optional values of calls that could not be decoded. Their fields are empty, and the call keeps "
            "the original value."
        ),
        labels=("attribute",),
    ),
    Metric(
        name="driftd.ingest.refused",
        kind="counter",
        unit="{request}",
        description="Refused requests, by error code: intake_full is the 429.",
        labels=("transport", "code"),
    ),
    Metric(
        name="driftd.ingest.skipped",
        kind="counter",
        unit="{record}",
        description="Spans and log records that are not a model call and have no text of one.",
        labels=("signal",),
    ),
    Metric(
        name="driftd.feedback.unlinked",
        kind="gauge",
        unit="{record}",
        description="Feedback without an interaction: waiting for it, or given up after `ingest.feedback_wait_days`.",
        labels=("state",),
    ),
    Metric(
        name="driftd.ingest.commit.duration",
        kind="histogram",
        unit="s",
        description="Duration of a group commit.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.receipt.duration",
        kind="histogram",
        unit="s",
        description="Time from submit to acknowledgement of a batch.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.clock_ahead",
        kind="counter",
        unit="{call}",
        description=(
            "Calls with a start time more than a day after their arrival: the clock of their sender is ahead."
        ),
    ),
    Metric(
        name="driftd.kafka.records",
        kind="counter",
        unit="{record}",
        description="Records read from Kafka. Their rows are counted after the commit.",
        labels=("source", "topic"),
    ),
    Metric(
        name="driftd.kafka.lag",
        kind="gauge",
        unit="{record}",
        description="Records of a partition on the broker that are not stored yet.",
        labels=("source", "topic", "partition"),
    ),
    Metric(
        name="driftd.kafka.stalled",
        kind="gauge",
        unit="{partition}",
        description=(
            "Partitions with unread records and no progress for `stall_after_s`, stopped partitions, and all "
            "partitions of a stopped source."
        ),
        labels=("source",),
    ),
    Metric(
        name="driftd.kafka.lost",
        kind="counter",
        unit="{record}",
        description=(
            "Records that the broker removed before driftd read them, skipped because `on_data_loss` is skip."
        ),
        labels=("source",),
    ),
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
