"""Which spans of a trace tell of the same call, decided by the tree they stand in. docs/connect.md draws the rule.

A call whose span contains other calls is the same call as the one that answered within it: the innermost is kept. A
call in a tool or a retrieval is a request of its own, and so is an attempt that failed beside one that was answered.
Texts decide only between several that the tree allows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from monitor.domain.reports import SLACK, Report, same_texts

MAX_STEPS: Final = 64  # between a call and the call around it; spans may name each other as parents


class Link(NamedTuple):
    """A span that is no call: the one above it, and whether calls beneath it are requests of their own."""

    parent_span_id: str | None
    is_tool: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """The report that is kept in place of another, which `fills` what the kept one lacks, or is a `note` of its end."""

    kept: Report
    fills: bool
    note: bool = False


@dataclass(slots=True, kw_only=True)
class _Tree:
    children: dict[str, list[Report]] = field(default_factory=dict)  # by the id of the call around them
    order: list[Report] = field(default_factory=list)  # inner calls before those around them


def nested_calls(reports: Sequence[Report], links: Mapping[str, Link]) -> dict[str, Same]:
    """The reports of one trace that are kept in another, by their id.

    `reports` and `links` (by span id) may be a part of the trace. A report of a larger part is never kept in none
    where it was kept in one before: what comes late can only show that two reports are one.
    """
    around = calls_around(reports, links)
    notes = _notes(reports)
    tree = _tree([r for r in reports if r.id not in notes], around)
    innermost: dict[str, list[Report]] = {}
    found: dict[str, Same] = {}
    for call in tree.order:
        inside = [r for child in tree.children.get(call.id, ()) if _may_be(call, child) for r in innermost[child.id]]
        answer = _answer(call, inside)
        innermost[call.id] = [call] if answer is None else inside
        if answer is not None:
            alone = all(r is answer or r.failed for r in inside)
            found[call.id] = Same(kept=answer, fills=alone)
    for id_, call in notes.items():
        found[id_] = Same(kept=call, fills=True, note=True)
    return found


def calls_around(reports: Sequence[Report], links: Mapping[str, Link]) -> dict[str, Report]:
    """For each report the nearest call whose span contains it, if no tool is between them."""
    by_span = {r.span_id: r for r in reports}
    found: dict[str, Report] = {}
    for report in reports:
        above = report.parent_span_id
        for _ in range(MAX_STEPS):
            if above is None or (call := by_span.get(above)) is not None:
                break
            link = links.get(above)
            if link is None or link.is_tool:
                above = None
                break
            above = link.parent_span_id
        else:
            above = None
        if above is not None and (call := by_span.get(above)) is not None and call is not report:
            found[report.id] = call
    return found


def contains(outer: Report, inner: Report, spans: Mapping[str, Report], links: Mapping[str, Link]) -> bool:
    """Whether the one span is above the other, whatever is between them."""
    above = inner.parent_span_id
    for _ in range(MAX_STEPS):
        if above is None or above == outer.span_id:
            return above is not None
        if (call := spans.get(above)) is not None:
            above = call.parent_span_id
        else:
            link = links.get(above)
            above = link.parent_span_id if link is not None else None
    return False


def _tree(reports: Sequence[Report], around: Mapping[str, Report]) -> _Tree:
    """Spans that contain each other in a circle contain nothing."""
    tree = _Tree()
    kept = {r.id for r in reports}
    waiting = dict.fromkeys(kept, 0)  # calls within that are still to come in the order
    parents: dict[str, Report] = {}
    for report in reports:
        call = around.get(report.id)
        if call is not None and call.id in kept and _covers(call, report):
            parents[report.id] = call
            waiting[call.id] += 1
    ready = [r for r in reports if not waiting[r.id]]
    while ready:
        report = ready.pop()
        tree.order.append(report)
        if (call := parents.get(report.id)) is not None:
            tree.children.setdefault(call.id, []).append(report)
            waiting[call.id] -= 1
            if not waiting[call.id]:
                ready.append(call)
    for report in reports:
        if waiting[report.id]:
            tree.children.pop(report.id, None)
            tree.order.append(report)
    return tree


def _covers(call: Report, inner: Report) -> bool:
    """What begins when the call is over is none of its requests; a lazy stream begins a little later."""
    return call.started_at - SLACK <= inner.started_at <= call.ended_at + SLACK


def _may_be(call: Report, inner: Report) -> bool:
    """Two ids of responses are two calls, unless the texts say that something between has renamed the response."""
    if not (call.response_id and inner.response_id) or call.response_id == inner.response_id:
        return True
    return bool(inner.outputs) and same_texts(call, inner)


def _answer(call: Report, inside: Iterable[Report]) -> Report | None:
    """The innermost call that gave what `call` gave: of a call that was answered none that failed."""
    possible = [r for r in inside if call.failed or not r.failed]
    for told in (
        [r for r in possible if call.response_id and r.response_id == call.response_id],
        [r for r in possible if r.outputs and same_texts(call, r)],
    ):
        if len(told) == 1:
            return told[0]
    return max(possible, key=_by_time, default=None)


def _notes(reports: Sequence[Report]) -> dict[str, Report]:
    """Reports without duration, each with the request that it tells the answer of, by their id.

    An instrumentation of streams may write one span when the request is sent and a note when the stream has ended: the
    request is the last one before it of the same parent, convention and input that told of no answer.
    """
    moments = [r for r in reports if r.is_moment and r.answered and r.inputs]
    if not moments or len(moments) == len(reports):
        return {}
    found: dict[str, Report] = {}
    unanswered = [r for r in reports if not (r.is_moment or r.failed or r.answered)]
    for note in sorted(moments, key=_by_time):
        before = [r for r in unanswered if _is_noted(r, note)]
        if before:
            found[note.id] = last = max(before, key=_by_time)
            unanswered.remove(last)
    return found


def _by_time(report: Report) -> tuple[datetime, str]:
    return report.started_at, report.id


def _is_noted(request: Report, note: Report) -> bool:
    return (
        request.parent_span_id == note.parent_span_id
        and request.convention == note.convention
        and request.started_at <= note.started_at
        and request.inputs == note.inputs
        and not (request.response_id and note.response_id and request.response_id != note.response_id)
    )
