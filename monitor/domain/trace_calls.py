"""Every report of a trace that is kept in another, and what each kept one may be filled from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.call_tree import Link, Same, contains, nested_calls
from monitor.domain.duplicates import siblings
from monitor.domain.reports import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A report that fills what the kept one lacks; a `note` tells when it ended too."""

    id: str
    note: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCalls:
    """`kept_in`: the report that counts, by the id of one that does not. `sources`: by the kept id."""

    kept_in: Mapping[str, str]
    sources: Mapping[str, Sequence[Source]]


def trace_calls(reports: Sequence[Report], links: Mapping[str, Link]) -> TraceCalls:
    """The tree decides first; ids, times and texts bring together what stands side by side in it."""
    found = nested_calls(reports, links)
    spans = {r.span_id: r for r in reports}
    standing = {r.id: r for r in reports if r.id not in found}

    def one_contains_the_other(one: Report, other: Report) -> bool:
        """The tree has decided that they are two calls: one contains the other, in a tool or with an id of its own."""
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
    """What is kept in the end in place of a report."""
    return _end(found, id_)[0]


def _end(found: Mapping[str, Same], id_: str) -> tuple[str, bool]:
    """What is kept in the end, and whether every step on the way to it fills."""
    fills = True
    while (same := found.get(id_)) is not None:
        fills, id_ = fills and same.fills, same.kept.id
    return id_, fills
