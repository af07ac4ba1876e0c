"""Every span of the daemon, declared once, with all attributes that it may have.

An attribute is a number, a constant of the code, a name of the configuration or an id of driftd. It is never a text of
a case, of an answer or of a user. An exception leaves its class (`error.type`) and not its message, which may quote
such a text.
"""

from dataclasses import dataclass

from opentelemetry.trace import SpanKind

ERROR_TYPE = "error.type"
OWN_HEADER = "x-driftd-own-telemetry"  # identifies own exports when a daemon is its own endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedStep:
    """The declaration of a span."""

    name: str
    description: str
    attributes: tuple[str, ...] = ()
    kind: SpanKind = SpanKind.INTERNAL


RECEIVE = "ingest.receive"
OWN = "driftd.own"  # marks a request with own telemetry; tracing it would create the next request
STEPS = (
    TracedStep(
        name=RECEIVE,
        kind=SpanKind.SERVER,
        description="One ingest request, from its body to the commit of its rows. The root of its trace.",
        attributes=("driftd.transport", "driftd.signal", "driftd.rows", "driftd.dead_letters", "driftd.skipped"),
    ),
    TracedStep(name="ingest.decode", description="Decodes bytes to interactions, feedback and texts."),
    TracedStep(name="ingest.await_commit", description="From submit to the acknowledgement."),
    TracedStep(
        name="ingest.group_commit",
        description=(
            "One transaction of the writer. Span links lead to the requests of its rows, and to the calls in the "
            "traces of the product, at most 32."
        ),
        attributes=("driftd.batches", "driftd.rows"),
    ),
    TracedStep(
        name="replay.run",
        description=(
            "One start of a replay. The first start is the root of its trace, a continued one its child. After a "
            "change, span links lead to the first calls of the new version. Single cases have no span."
        ),
        attributes=(
            "driftd.run_id",
            "driftd.change_id",
            "driftd.trace_prefix",
            "driftd.deployment",
            "driftd.set",
            "driftd.trigger",
            "driftd.cases",
            "driftd.outcomes",
            "driftd.scored",
            "driftd.cost_usd",
            "driftd.state",
        ),
    ),
    TracedStep(
        name="replay.load", description=("Reads and opens the cases, and counts the answers of an earlier start.")
    ),
    TracedStep(
        name="replay.slice",
        description="A process of the role `work` replays a part of a run.",
        attributes=("driftd.run_id", "driftd.slice"),
    ),
    TracedStep(name="replay.execute", description="Calls the target, scores and commits every case."),
    TracedStep(
        name="replay.first_look",
        description="Looks at the scores of the first part of a replay after a change.",
        attributes=("driftd.run_id", "driftd.cases", "driftd.announced"),
    ),
    TracedStep(
        name="replay.severity_gate",
        description="Takes more samples of the critical cases that the severity gate needs.",
    ),
    TracedStep(name="replay.finish", description="Stores the manifest and the version that answered."),
    TracedStep(
        name="alert.finding",
        description="Compares a run with its baseline. The root of the trace of the finding, with a link to the run.",
        attributes=(
            "driftd.finding_id",
            "driftd.run_id",
            "driftd.change_id",
            "driftd.deployment",
            "driftd.set",
            "driftd.verdict",
        ),
    ),
    TracedStep(
        name="alert.advance",
        description="Updates the alert after a finding or after time passed.",
        attributes=("driftd.alert_id", "driftd.finding_id", "driftd.run_id", "driftd.state"),
    ),
    TracedStep(
        name="alert.notify",
        kind=SpanKind.CLIENT,
        description="One attempt to deliver one notification. A span link leads to the run.",
        attributes=(
            "driftd.notification_id",
            "driftd.alert_id",
            "driftd.finding_id",
            "driftd.run_id",
            "driftd.receiver_kind",
            "driftd.reason",
            "driftd.state",
        ),
    ),
)
BY_NAME = {step.name: step for step in STEPS}
