"""The history of an alert: one event for each change of its state, with who and when."""

from collections.abc import Iterator
from datetime import datetime

from monitor.alerting.severity import rank
from monitor.domain.alert import Alert, AlertEvent, AlertEventKind, AlertState
from monitor.domain.run import new_id

DAEMON = "driftd"  # the author of changes that no person made


def events_of(
    before: Alert | None, after: Alert, now: datetime, *, by: str = DAEMON, note: str | None = None
) -> list[AlertEvent]:
    """Return one event for each change from `before` to `after`, in the order in which they happened.

    `by` is the person who made the change, or driftd. `note` replaces the notes of the events.
    """
    return [
        AlertEvent(id=new_id("event", now), alert_id=after.id, at=now, kind=kind, who=by, note=note or about)
        for kind, about in _changes(before, after)
    ]


def _changes(before: Alert | None, after: Alert) -> Iterator[tuple[AlertEventKind, str | None]]:
    """Yield the kind of each change from `before` to `after`, with a note, in the order in which they happened."""
    if before is None:
        yield AlertEventKind.PENDING, after.summary
        if after.flapping:
            yield AlertEventKind.FLAPPING, "the alert fired and resolved too often; it fires until it is stable"
    state = None if before is None else before.state
    if before is not None and rank(after.severity) > rank(before.severity):
        yield AlertEventKind.WORSE, f"{before.severity} to {after.severity}: {after.summary}"
    if after.state is AlertState.FIRING and state is not AlertState.FIRING:
        yield AlertEventKind.FIRING, after.summary
    yield from _acknowledgement(before, after)
    if after.clear_since is not None and (before is None or before.clear_since is None):
        yield AlertEventKind.CLEAR, None
    if before is not None and before.clear_since is not None and after.clear_since is None:
        yield AlertEventKind.FIRING, f"the condition returned: {after.summary}"
    if after.verdict_at is not None and (before is None or before.verdict_at != after.verdict_at):
        yield AlertEventKind.VERDICT, None if after.verdict is None else after.verdict.value
    if after.state is AlertState.RESOLVED and state is not AlertState.RESOLVED:
        yield AlertEventKind.RESOLVED, None if after.acceptance is None else f"accepted: {after.acceptance.reason}"


def _acknowledgement(before: Alert | None, after: Alert) -> Iterator[tuple[AlertEventKind, str | None]]:
    earlier = None if before is None else before.acknowledged_at
    if after.acknowledged_at is not None and after.acknowledged_at != earlier:
        yield AlertEventKind.ACKNOWLEDGED, after.acknowledged_note
    if after.acknowledged_at is None and earlier is not None:
        yield AlertEventKind.UNACKNOWLEDGED, None
