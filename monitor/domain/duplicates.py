"""Find duplicates among reports of one call whose spans do not contain each other, and choose the one to keep."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from monitor.domain.interaction import Status
from monitor.domain.reports import SLACK, Report, different_instrumentations, overlap, preference, same_texts

NEAR: Final = timedelta(seconds=2)  # the largest distance of the starts of two reports that only time and texts connect
# The number of later reports that each one is compared with: a test model may give every response one id.
NEXT: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two reports that may be of one call."""

    one: Report
    other: Report


def same_call(pair: Pair) -> bool:
    """Return whether two reports record the same call.

    A response has one id: two ids are two calls, and one id is one call if both spans were open at the same time.
    Without an id on one side, two reports are one call when two instrumentations wrote them, both have the same texts,
    and one is inside the other in time.
    """
    one, other = pair.one, pair.other
    if one.id == other.id or {one.status, other.status} == {Status.OK, Status.ERROR}:
        return False
    if one.response_id and other.response_id:
        return one.response_id == other.response_id and overlap(one, other)
    return different_instrumentations(one, other) and _within(one, other) and same_texts(one, other)


def duplicates(pairs: Iterable[Pair]) -> Mapping[str, str]:
    """Return the id of each duplicate with the id of the report that is kept. The order of the pairs
    does not matter.
    """
    found = list(pairs)
    best = united([*(pair for pair in found if same_call(pair)), *_of_lazy_streams(found)])
    return {id_: kept.id for id_, kept in best.items() if kept.id != id_}


def siblings(reports: Iterable[Report], apart: Callable[[Report, Report], bool]) -> Mapping[str, str]:
    """Return the duplicates among reports of one trace. `apart` returns whether two reports are known
    to be two calls.
    """
    pairs = _pairs_of(sorted(reports, key=lambda r: (r.started_at, r.id)))
    return duplicates(pair for pair in pairs if not apart(pair.one, pair.other))


def _pairs_of(reports: Sequence[Report]) -> Iterator[Pair]:
    """Yield each report with the next few that have the same response id or the same texts."""
    groups: dict[tuple[str | None, ...], list[Report]] = {}
    for report in reports:
        if report.response_id:
            groups.setdefault((report.response_id,), []).append(report)
        if report.inputs:
            groups.setdefault((report.inputs, report.outputs), []).append(report)
    for same in groups.values():
        for place, one in enumerate(same):
            yield from (Pair(one=one, other=other) for other in same[place + 1 : place + 1 + NEXT])


def _of_lazy_streams(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield each span of a lazy stream with its request. The span ended when the stream was returned to the
    application; the request was sent when the application read the stream.

    Each report is in at most one pair. Among several pairs with the same texts, the pair with the nearest starts is
    taken.
    """
    possible = [lazy for pair in pairs if (lazy := _as_lazy(pair)) is not None]
    taken: set[str] = set()
    for pair in sorted(possible, key=lambda p: (p.other.started_at - p.one.started_at, p.one.id, p.other.id)):
        if taken.isdisjoint((pair.one.id, pair.other.id)):
            taken.update((pair.one.id, pair.other.id))
            yield pair


def _as_lazy(pair: Pair) -> Pair | None:
    """Return the pair with the span that ended early first, or None when the pair is not a lazy stream."""
    lazy, request = sorted((pair.one, pair.other), key=lambda r: (r.started_at, r.id))
    early = lazy.ended_at < request.ended_at and lazy.ended_at <= request.started_at + SLACK
    shorter = lazy.ended_at - lazy.started_at < request.ended_at - request.started_at
    if not (early and shorter) or lazy.response_id or lazy.failed or request.failed:
        return None
    answered = bool(lazy.outputs) and same_texts(lazy, request) and request.started_at - lazy.started_at <= NEAR
    return Pair(one=lazy, other=request) if answered and different_instrumentations(lazy, request) else None


def united(pairs: Iterable[Pair]) -> dict[str, Report]:
    """Return, for each report, the best report of its group. Groups are the connected components of the pairs."""
    above: dict[str, str] = {}  # union-find: each report to another one of its group, the representative to itself
    best: dict[str, Report] = {}
    for pair in pairs:
        for report in (pair.one, pair.other):
            above.setdefault(report.id, report.id)
            best.setdefault(report.id, report)
        one, other = _top(above, pair.one.id), _top(above, pair.other.id)
        if one != other:
            above[other] = one
            best[one] = min(best[one], best[other], key=preference)
    return {id_: best[_top(above, id_)] for id_ in above}


def _top(above: dict[str, str], id_: str) -> str:
    """Return the representative of a group. Shorten the path on the way, so that large groups stay fast."""
    while above[id_] != id_:
        above[id_] = above[above[id_]]
        id_ = above[id_]
    return id_


def _within(one: Report, other: Report) -> bool:
    outer, inner = (one, other) if one.started_at <= other.started_at else (other, one)
    return inner.ended_at <= outer.ended_at
