"""Every span of the daemon, declared once, with all the attributes it may carry.

An attribute is a number, a constant of the code, a name of the configuration or an id of ours. Never a text of a case,
of an answer or of a user; exceptions leave their class (`error.type`) and not their message, which may quote one.
"""

from dataclasses import dataclass

from opentelemetry.trace import SpanKind

ERROR_TYPE = "error.type"
OWN_HEADER = "x-driftd-own-telemetry"  # how a daemon that is pointed at itself knows its own exports


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedStep:
    """One declared span."""

    name: str
    description: str
    attributes: tuple[str, ...] = ()
    kind: SpanKind = SpanKind.INTERNAL


RECEIVE = "ingest.receive"
OWN = "driftd.own"  # on a request that brings our own telemetry: not traced, or every trace would make the next one
STEPS = (
    TracedStep(
        name=RECEIVE,
        kind=SpanKind.SERVER,
        description="One request of a sender, from its body to the commit of its rows. The root of its trace.",
        attributes=("driftd.transport", "driftd.signal", "driftd.rows", "driftd.dead_letters", "driftd.skipped"),
    ),
    TracedStep(name="ingest.decode", description="Bytes to interactions, feedback and texts."),
    TracedStep(name="ingest.await_commit", description="From submit to the receipt."),
    TracedStep(
        name="ingest.group_commit",
        description="One transaction of the writer; links lead to the requests whose rows it holds.",
        attributes=("driftd.batches", "driftd.rows"),
    ),
    TracedStep(
        name="replay.run",
        description="One replay. The root of its trace; no span stands for a single case.",
        attributes=(
            "driftd.run_id",
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
    TracedStep(name="replay.load", description="Cases read and opened, what an earlier start answered counted."),
    TracedStep(name="replay.ask", description="Every call: asked, scored and committed."),
    TracedStep(name="replay.conclude", description="The manifest and the version that answered, written down."),
    TracedStep(
        name="alert.finding",
        description="A run compared with its baseline. The root of the finding's trace.",
        attributes=("driftd.finding_id", "driftd.run_id", "driftd.deployment", "driftd.set", "driftd.verdict"),
    ),
    TracedStep(
        name="alert.advance",
        description="What the finding, or the time that passed since, does to its alert.",
        attributes=("driftd.alert_id", "driftd.state"),
    ),
    TracedStep(
        name="alert.notify",
        kind=SpanKind.CLIENT,
        description="One attempt to deliver one notification.",
        attributes=("driftd.alert_id", "driftd.receiver_kind", "driftd.reason", "driftd.state"),
    ),
)
BY_NAME = {step.name: step for step in STEPS}
