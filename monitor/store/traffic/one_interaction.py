"""One interaction with its feedback and the calls around it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from monitor.domain.call_order import PlacedCall, RelatedCall, in_order
from monitor.domain.call_tree import Link
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.store.engine.schema import TRACES, table_of
from monitor.store.engine.transaction import Tx
from monitor.store.traffic.feedback import to_feedback
from monitor.store.traffic.interaction_row import to_interaction

AROUND: Final = timedelta(days=2)  # in which related calls are searched, before and after the call
MOST_RELATED: Final = 200
TEXT_CHARS: Final = 300  # of a related call
ROUNDING: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCase:
    """A candidate that feedback proposed, or joined."""

    feedback_id: str
    candidate_id: str
    state: str


def find(tx: Tx, interaction_id: str, at: datetime | None) -> Interaction | None:
    """Return the interaction. With its start time `at`, only the rows of that time are read."""
    row = None
    if at is not None:
        row = tx.one("interaction_at", id=interaction_id, **_around(at, ROUNDING))
    row = row or tx.one("interaction_by_id", id=interaction_id)
    return to_interaction(row) if row else None


def feedback_on(tx: Tx, interaction_id: str) -> list[Feedback]:
    """Return the feedback that is linked to an interaction, the oldest first."""
    return [to_feedback(row) for row in tx.query("feedback_of_interaction", id=interaction_id)]


def proposed_cases(tx: Tx, interaction_id: str) -> list[ProposedCase]:
    """Return the candidates that came from the feedback on an interaction."""
    return [ProposedCase(**row) for row in tx.query("candidates_of_interaction", id=interaction_id)]


def related_calls(tx: Tx, call: Interaction) -> list[PlacedCall]:
    """Return the calls of the same trace and conversation within AROUND, with `call`; at most MOST_RELATED."""
    if call.trace_id is None and call.conversation_id is None:
        return []
    rows = tx.query(
        "related_calls",
        deployment=call.deployment,
        trace_id=call.trace_id,
        conversation_id=call.conversation_id,
        **_around(call.started_at, AROUND),
        chars=TEXT_CHARS,
        limit=MOST_RELATED,
    )
    return in_order([RelatedCall(**row) for row in rows], _links(tx, call))


def _links(tx: Tx, call: Interaction) -> dict[str, Link]:
    if call.trace_id is None:
        return {}
    batch = table_of(TRACES, [{"trace_id": call.trace_id}])
    rows = tx.query("links_of_traces", batch=batch, calls_since=_around(call.received_at, AROUND)["low"])
    return {row["span_id"]: Link(row["parent_span_id"], row["is_tool"]) for row in rows}


def _around(at: datetime, margin: timedelta) -> dict[str, datetime]:
    """Return the ends of the window around a time. At the ends of the calendar the window is shorter."""
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    utc = min(max(at, earliest + margin), latest - margin)
    return {"low": utc - margin, "high": utc + margin}
