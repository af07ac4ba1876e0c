"""Find the spans of a trace that record the same call, from the tree of its spans. docs/connect.md has a diagram of the
rule.

A span that contains other calls records the same call as the inner span that answered. The innermost span is kept. A
call inside a tool or a retrieval is a separate request, and so is a failed attempt next to one that was answered. Texts
decide only between several calls that the tree allows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from monitor.domain.reports import SLACK, Report, same_texts

MAX_STEPS: Final = 64  # limit of the search upward: broken spans may name each other as parents


class Link(NamedTuple):
    """A span that is not a call: its parent, and whether the calls below it are separate requests."""

    parent_span_id: str | None
    is_tool: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """The report that is kept in place of another one. With `fills`, the other one fills fields that the kept one
    lacks. With `note`, the other one is a note of the end of the call.
    """

    kept: Report
    fills: bool
    note: bool = False


@dataclass(slots=True, kw_only=True)
class _Tree:
    children: dict[str, list[Report]] = field(default_factory=dict)  # by the id of the call that contains them
    order: list[Report] = field(default_factory=list)  # inner calls before the calls that contain them


def nested_calls(reports: Sequence[Report], links: Mapping[str, Link]) -> dict[str, Same]:
    """Return the reports of one trace that are duplicates, by id, each with the report that is kept.

    `reports` and `links` (by span id) may be a part of the trace. A report that is a duplicate in one part is a
    duplicate in every larger part: a late span can only show that two reports are the same call.
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
    """Return the nearest call that contains each report, by the id of the report. A tool in between ends the search."""
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
    """Return whether the outer span is an ancestor of the inner one."""
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
    """Build the tree of calls. Spans that contain each other in a cycle contain nothing."""
    tree = _Tree()
    kept = {r.id for r in reports}
    waiting = dict.fromkeys(kept, 0)  # inner calls that are not in the order yet
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
    """Return whether the inner report began during the call. A lazy stream begins a little later."""
    return call.started_at - SLACK <= inner.started_at <= call.ended_at + SLACK


def _may_be(call: Report, inner: Report) -> bool:
    """Return whether the two reports may be one call. Two response ids are two calls, unless equal texts show that a
    proxy renamed the response.
    """
    if not (call.response_id and inner.response_id) or call.response_id == inner.response_id:
        return True
    return bool(inner.outputs) and same_texts(call, inner)


def _answer(call: Report, inside: Iterable[Report]) -> Report | None:
    """Return the innermost call with the answer of `call`, or None. A failed call is never the answer of a call that
    succeeded.
    """
    possible = [r for r in inside if call.failed or not r.failed]
    for matches in (
        [r for r in possible if call.response_id and r.response_id == call.response_id],
        [r for r in possible if r.outputs and same_texts(call, r)],
    ):
        if len(matches) == 1:
            return matches[0]
    return max(possible, key=_by_time, default=None)


def _notes(reports: Sequence[Report]) -> dict[str, Report]:
    """Return the reports without duration, by id, each with the request whose answer it records.

    An instrumentation of streams may write one span when it sends the request, and a note when the stream has ended.
    The request is the last earlier span without an answer that has the same parent, convention and input.
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
