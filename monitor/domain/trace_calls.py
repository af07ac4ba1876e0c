"""The duplicates of a whole trace, and the reports that may fill each kept one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.call_tree import Link, Same, contains, nested_calls
from monitor.domain.duplicates import siblings
from monitor.domain.reports import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A report that fills fields of the kept one. A `note` also sets the end of the call."""

    id: str
    note: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCalls:
    """`kept_in` has the kept report of each duplicate, by id. `sources` has the filling reports, by the id of the kept
    one.
    """

    kept_in: Mapping[str, str]
    sources: Mapping[str, Sequence[Source]]


def trace_calls(reports: Sequence[Report], links: Mapping[str, Link]) -> TraceCalls:
    """Return the duplicates of a trace. The span tree decides first; then ids, times and texts decide
    between siblings.
    """
    found = nested_calls(reports, links)
    spans = {r.span_id: r for r in reports}
    standing = {r.id: r for r in reports if r.id not in found}

    def one_contains_the_other(one: Report, other: Report) -> bool:
        """Return whether one span contains the other. The tree has already decided that they are two calls."""
        return contains(one, other, spans, links) or contains(other, one, spans, links)

    for id_, kept in siblings(standing.values(), one_contains_the_other).items():
        found[id_] = Same(kept=standing[kept], fills=True)
    kept_in: dict[str, str] = {}
    sources: dict[str, list[Source]] = {}
    for report in sorted(reports, key=lambda r: (r.started_at, r.id), reverse=True):  # inner spans begin later
        if report.id in found:
            kept, fills = _end(found, report.id)
            kept_in[report.id] = kept
            if fills:
                sources.setdefault(kept, []).append(Source(id=report.id, note=found[report.id].note))
    return TraceCalls(kept_in=kept_in, sources=sources)


def last_kept(found: Mapping[str, Same], id_: str) -> str:
    """Return the id of the report that is kept for this one at the end of the chain."""
    return _end(found, id_)[0]


def _end(found: Mapping[str, Same], id_: str) -> tuple[str, bool]:
    """Return the id of the kept report, and whether every step of the chain fills it."""
    fills = True
    while (same := found.get(id_)) is not None:
        fills, id_ = fills and same.fills, same.kept.id
    return id_, fills
