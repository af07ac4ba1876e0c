"""When two reports are of one call, and which of them is kept: two instrumentations at once tell everything twice."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from monitor.domain.interaction import Interaction, Status

SLACK = timedelta(seconds=1)  # between two measurements of one call, taken at different places around it


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What tells one report of a call from another. `inputs` and `outputs` are None where they were not looked at."""

    id: str
    convention: str
    status: Status
    started_at: datetime
    ended_at: datetime
    response_id: str | None = None
    error_type: str | None = None
    counted: bool = False  # it knows how many tokens there were
    inputs: str | None = None
    outputs: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two reports that may be of one call. `nested`: the span of the second lies within the span of the first."""

    one: Report
    other: Report
    nested: bool = False


def report_of(item: Interaction) -> Report:
    return Report(
        id=item.id,
        convention=item.convention,
        status=item.status,
        started_at=item.started_at,
        ended_at=item.started_at + timedelta(milliseconds=item.duration_ms or 0.0),
        response_id=item.response_id,
        error_type=item.error_type,
        counted=item.input_tokens is not None,
        inputs=item.input_text,
        outputs=item.output_text,
    )


def same_call(pair: Pair) -> bool:
    """One response has one id: two ids are two calls, one id is one call if both were under way at the same time.

    Where an id is missing, a call within a call is the same when two instrumentations told it or both say the same
    texts; two calls in unrelated spans when one lies within the other in time, both say the same texts and they were
    told by different hands: an application that asks the same thing twice at once is told twice in the same way.
    """
    one, other = pair.one, pair.other
    if one.id == other.id or {one.status, other.status} == {Status.OK, Status.ERROR}:
        return False
    if one.response_id and other.response_id:
        return one.response_id == other.response_id and _overlap(one, other)
    if pair.nested:
        return one.convention != other.convention or _same_texts(one, other)
    return _different_hands(one, other) and _within(one, other) and _same_texts(one, other)


def doubles(pairs: Iterable[Pair]) -> Mapping[str, str]:
    """Each report that counts for nothing, and the one that is kept in its place.

    A report with two calls or more within it, other than itself, is no call but what made them: they are kept. The
    choice depends on nothing but the reports, so that any order of arrival ends with the same.
    """
    twins = [pair for pair in pairs if same_call(pair)]
    inner: dict[str, dict[str, Report]] = {}
    for pair in twins:
        if pair.nested and not (pair.one.response_id and pair.other.response_id):
            inner.setdefault(pair.one.id, {})[pair.other.id] = pair.other
    makers = {id_: calls for id_, calls in inner.items() if len(calls) > 1}
    found = {id_: max(calls.values(), key=lambda r: (r.started_at, r.id)).id for id_, calls in makers.items()}
    best = _united(pair for pair in twins if pair.one.id not in makers and pair.other.id not in makers)
    found.update({id_: kept.id for id_, kept in best.items() if kept.id != id_})
    return {id_: _last(found, id_) for id_ in found}


def _united(pairs: Iterable[Pair]) -> dict[str, Report]:
    """For each report of a pair the best of all that are one with it: a twin of a twin is one as well."""
    above: dict[str, str] = {}  # on the way to the one that stands for all
    best: dict[str, Report] = {}
    for pair in pairs:
        for report in (pair.one, pair.other):
            above.setdefault(report.id, report.id)
            best.setdefault(report.id, report)
        one, other = _top(above, pair.one.id), _top(above, pair.other.id)
        if one != other:
            above[other] = one
            best[one] = min(best[one], best[other], key=_preference)
    return {id_: best[_top(above, id_)] for id_ in above}


def _top(above: dict[str, str], id_: str) -> str:
    """Shortens the way as it goes, so that many of one kind cost no more than few."""
    while above[id_] != id_:
        above[id_] = above[above[id_]]
        id_ = above[id_]
    return id_


def _preference(report: Report) -> tuple[bool, bool, datetime, str]:
    """Least is best: it knows the response's id, then its tokens, then it began first, so it is the outer one."""
    return report.response_id is None, not report.counted, report.started_at, report.id


def _last(found: Mapping[str, str], id_: str) -> str:
    """The end of the chain: what is kept is no double itself."""
    seen = {id_}
    while (following := found.get(id_)) is not None and following not in seen:
        seen.add(following)
        id_ = following
    return id_


def _overlap(one: Report, other: Report) -> bool:
    return one.started_at <= other.ended_at + SLACK and other.started_at <= one.ended_at + SLACK


def _within(one: Report, other: Report) -> bool:
    outer, inner = (one, other) if one.started_at <= other.started_at else (other, one)
    return inner.ended_at <= outer.ended_at


def _different_hands(one: Report, other: Report) -> bool:
    told = [(r.convention, r.error_type, r.response_id is None) for r in (one, other)]
    return told[0] != told[1]


def _same_texts(one: Report, other: Report) -> bool:
    return bool(one.inputs) and one.inputs == other.inputs and one.outputs == other.outputs
