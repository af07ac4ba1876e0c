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
        description="Rows taken over and not yet committed.",
    ),
    Metric(
        name="driftd.intake.capacity",
        kind="gauge",
        unit="{row}",
        description="Rows the intake may hold; beyond, senders are told to come back (429).",
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
            "Connections of an HTTP listener that a limit ended: replaced and refused by their number, slow_headers, "
            "idle and silent by time."
        ),
        labels=("listener", "reason"),
    ),
    Metric(
        name="driftd.auth.failures",
        kind="counter",
        unit="{request}",
        description="Requests with an unknown token: rejected (401), or throttled (429) after several from an address.",
        labels=("listener", "result"),
    ),
    Metric(
        name="driftd.ingest.batches",
        kind="counter",
        unit="{batch}",
        description="Batches of senders, by what became of them: committed or failed.",
        labels=("result",),
    ),
    Metric(
        name="driftd.ingest.accepted",
        kind="counter",
        unit="{row}",
        description="Interactions and feedback that are new and committed.",
    ),
    Metric(
        name="driftd.ingest.duplicates",
        kind="counter",
        unit="{row}",
        description="Interactions and feedback that were there already.",
    ),
    Metric(
        name="driftd.ingest.dead_letters",
        kind="counter",
        unit="{record}",
        description="Records that could not be read and were kept as dead letters.",
        labels=("source", "code"),
    ),
    Metric(
        name="driftd.ingest.unread",
        kind="counter",
        unit="{value}",
        description="Optional values of calls that could not be read: absent, and kept with the call as they came.",
        labels=("attribute",),
    ),
    Metric(
        name="driftd.ingest.refused",
        kind="counter",
        unit="{request}",
        description="Requests refused whole, by the code of the answer: intake_full is the 429.",
        labels=("transport", "code"),
    ),
    Metric(
        name="driftd.ingest.skipped",
        kind="counter",
        unit="{record}",
        description="Spans and log records that are no model call and hold no text of one.",
        labels=("signal",),
    ),
    Metric(
        name="driftd.feedback.unlinked",
        kind="gauge",
        unit="{record}",
        description="Feedback without an interaction: still waiting for it, or given up because it waited too long.",
        labels=("state",),
    ),
    Metric(
        name="driftd.ingest.commit.duration",
        kind="histogram",
        unit="s",
        description="How long a group commit took.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.receipt.duration",
        kind="histogram",
        unit="s",
        description="How long a sender waited for its receipt, from submit to commit.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.clock_ahead",
        kind="counter",
        unit="{call}",
        description="Calls that began more than a day after they arrived: the clock of their sender is ahead.",
    ),
    Metric(
        name="driftd.kafka.records",
        kind="counter",
        unit="{record}",
        description="Records read from Kafka; the rows in them are counted when they are committed.",
        labels=("source", "topic"),
    ),
    Metric(
        name="driftd.kafka.lag",
        kind="gauge",
        unit="{record}",
        description="Records of a partition that are at the broker and not in the tables.",
        labels=("source", "topic", "partition"),
    ),
    Metric(
        name="driftd.kafka.stalled",
        kind="gauge",
        unit="{partition}",
        description="Partitions with unread records that were not read on for `stall_after_s`, those that are read no "
        "further, and all of a source that stopped.",
        labels=("source",),
    ),
    Metric(
        name="driftd.kafka.lost",
        kind="counter",
        unit="{record}",
        description="Records that the broker removed before they were read, passed over because `lost` is skip.",
        labels=("source",),
    ),
    Metric(
        name="driftd.replay.calls",
        kind="counter",
        unit="{call}",
        description="Calls to a target, retries included: answered, a class of error, or abandoned (time limit, stop).",
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.replay.call.duration",
        kind="histogram",
        unit="s",
        description="How long an answered call took.",
        labels=("deployment",),
        buckets=CALL_S,
    ),
    Metric(
        name="driftd.replay.tokens",
        kind="counter",
        unit="{token}",
        description="Tokens that answers said they used.",
        labels=("deployment", "direction"),
    ),
    Metric(
        name="driftd.replay.cost",
        kind="counter",
        unit="usd",
        description="US dollars spent on answers whose price is configured.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.replay.outcomes",
        kind="counter",
        unit="{outcome}",
        description="Committed outcomes: passed, failed, unscored (a scorer reached no verdict) or error (no answer).",
        labels=("deployment", "result"),
    ),
    Metric(
        name="driftd.replay.runs",
        kind="counter",
        unit="{run}",
        description="Replays that ended, by their state: complete, failed or cancelled.",
        labels=("deployment", "state"),
    ),
    Metric(
        name="driftd.findings",
        kind="counter",
        unit="{finding}",
        description="Conclusions of comparisons, by verdict.",
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
        description="Share of the scored cases that passed, from 0 to 1, in the newest complete replay of a set.",
        labels=("deployment", "set", "kind"),
    ),
    Metric(
        name="driftd.set.verdict.age",
        kind="gauge",
        unit="s",
        description="Time since a set was last judged ok, improved or regressed; failed and insufficient nights count "
        "as no verdict.",
        labels=("deployment", "set", "kind"),
    ),
    Metric(
        name="driftd.production.correction_rate",
        kind="gauge",
        unit="{share}",
        description="Corrections for each production call over the last seven days, counted every five minutes.",
        labels=("deployment",),
    ),
    Metric(
        name="driftd.notification.deliveries",
        kind="counter",
        unit="{delivery}",
        description="Attempts to deliver a notification: sent, retrying (the receiver is away) or refused (its answer "
        "is a refusal); both are tried again.",
        labels=("kind", "state"),
    ),
    Metric(
        name="driftd.notification.undelivered",
        kind="gauge",
        unit="{notification}",
        description="Notifications that wait for their receiver.",
        labels=("receiver",),
    ),
    Metric(
        name="driftd.notification.undelivered.age",
        kind="gauge",
        unit="s",
        description="Age of the oldest notification that its receiver does not have; 0 when it has all.",
        labels=("receiver",),
    ),
    Metric(
        name="driftd.schedule.lateness",
        kind="histogram",
        unit="s",
        description="From the instant a night was due to the moment its runs were planned.",
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
        description="Bytes of the database file and its log.",
    ),
    Metric(
        name="driftd.loop.steps", kind="counter", unit="{step}", description="Steps a loop has made.", labels=("loop",)
    ),
    Metric(
        name="driftd.loop.rows",
        kind="counter",
        unit="{row}",
        description="Rows a loop has handled: links, changes, planned runs, outcomes, findings, notifications.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.loop.step.duration",
        kind="histogram",
        unit="s",
        description="How long a step that handled something took.",
        labels=("loop",),
        buckets=(*QUICK_S, 120.0, 600.0, 3600.0),
    ),
    Metric(
        name="driftd.loop.retries",
        kind="counter",
        unit="{retry}",
        description="Steps that failed in a way that may pass, and were tried again.",
        labels=("loop",),
    ),
    Metric(
        name="driftd.telemetry.export.failures",
        kind="counter",
        unit="{export}",
        description="Exports of the daemon's own traces or metrics that the OTLP endpoint did not take.",
        labels=("signal",),
    ),
)
BY_NAME = {metric.name: metric for metric in METRICS}
