"""The calls of a trace as a tree: which call contains which. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.call_tree import Link

MOST_STEPS = 100  # between a call and the call that contains it: spans of a broken trace may form a circle


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedCall:
    """A call of the same trace or conversation. The texts may be cut."""

    id: str
    started_at: datetime
    duration_ms: float | None
    trace_id: str | None
    span_id: str | None
    parent_span_id: str | None
    conversation_id: str | None
    status: str
    request_model: str | None
    response_model: str | None
    duplicate_of: str | None
    input_text: str
    output_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCall:
    """A call with its depth in the tree, 0 for a call that no other one contains."""

    call: RelatedCall
    depth: int


def in_order(calls: Sequence[RelatedCall], links: Mapping[str, Link]) -> list[PlacedCall]:
    """Return the calls with the calls inside them directly after them, else by time. `links` are the other spans."""
    by_span = {call.span_id: call for call in calls if call.span_id is not None}
    inside: dict[str | None, list[RelatedCall]] = {}
    for call in sorted(calls, key=lambda one: (one.started_at, one.id)):
        inside.setdefault(_container(call, by_span, links), []).append(call)
    return list(_below(None, 0, inside))


def _below(container: str | None, depth: int, inside: dict[str | None, list[RelatedCall]]) -> Iterator[PlacedCall]:
    for call in inside.get(container, ()):
        yield PlacedCall(call=call, depth=depth)
        yield from _below(call.id, depth + 1, inside)


def _container(call: RelatedCall, by_span: Mapping[str, RelatedCall], links: Mapping[str, Link]) -> str | None:
    """Return the id of the nearest call around a call. A call never contains one that began earlier."""
    span = call.parent_span_id
    for _ in range(MOST_STEPS):
        if span is None:
            return None
        found = by_span.get(span)
        if found is not None:
            earlier = (found.started_at, found.id) < (call.started_at, call.id)
            return found.id if earlier and found.trace_id == call.trace_id else None
        link = links.get(span)
        span = link.parent_span_id if link is not None else None
    return None
