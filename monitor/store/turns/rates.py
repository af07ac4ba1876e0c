"""Counts of corrected answers: explicit corrections and flagged turns, by day, version, route or category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from monitor.domain.turn import TurnProgress
from monitor.stats.adjusted_rate import NO_REVIEWS, AdjustedRate, ReviewCounts, TurnCounts, adjusted_rate
from monitor.store.aggregates import rolled_counts
from monitor.store.aggregates.rolled_counts import CorrectedDay
from monitor.store.aggregates.settled_days import WHITE_SPACE
from monitor.store.engine.transaction import Tx
from monitor.store.turns import progress

ENDED: Final = timedelta(minutes=30)  # a conversation without a call for this time has ended


class GroupBy(StrEnum):
    """What the corrected answers are counted by. `all` is one group."""

    ALL = "all"
    DAY = "day"
    VERSION = "version"
    ROUTE = "route"
    CATEGORY = "category"


ROLLED_UP: Final = (GroupBy.ALL, GroupBy.DAY, GroupBy.VERSION)  # their past days are stored


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedGroup:
    """The counts of one group; `name` is None for calls without a version, route or category.

    `abandoned` is the number of conversations whose last call failed, refused or had an empty answer.
    """

    name: str | None
    counts: TurnCounts
    abandoned: int


def groups(
    tx: Tx, deployment: str, by: GroupBy, *, since: datetime, until: datetime, now: datetime
) -> list[CorrectedGroup]:
    """Return the groups of answered production calls in [since, until), by name. Turns are those of the newest
    detector.
    """
    known = progress.get(tx, deployment)
    version = known.version if known else ""
    window: dict[str, Any] = {"deployment": deployment, "since": since, "until": until}
    ended_before = now - ENDED
    if by in ROLLED_UP:
        days = rolled_counts.counts(tx, **window, detector=version, ended_before=ended_before)
        return _summed(days, by)
    rows = tx.query(
        "correction_counts", **window, version=version, by=by.value, ended_before=ended_before, space=WHITE_SPACE
    )
    return [
        CorrectedGroup(name=row.pop("group"), abandoned=row.pop("abandoned"), counts=TurnCounts(**row)) for row in rows
    ]


def _summed(days: Sequence[CorrectedDay], by: GroupBy) -> list[CorrectedGroup]:
    """Return the sums of each group with an answered call, by name; None is the last."""
    sums: dict[str | None, CorrectedDay] = {}
    for one in days:
        name = {GroupBy.DAY: str(one.day), GroupBy.VERSION: one.version}.get(by, by.value)
        sums[name] = sums[name] + one if name in sums else one
    return [
        CorrectedGroup(
            name=name,
            abandoned=one.abandoned,
            counts=TurnCounts(
                interactions=one.interactions, explicit=one.explicit, turns=one.turns, flagged=one.flagged
            ),
        )
        for name, one in sorted(sums.items(), key=lambda item: (item[0] is None, item[0] or ""))
        if one.interactions
    ]


def review_counts(tx: Tx, deployment: str) -> ReviewCounts:
    """Return the reviews of the random sample of the newest detector."""
    known = progress.get(tx, deployment)
    if known is None:
        return NO_REVIEWS
    return ReviewCounts(**tx.query("turn_review_counts", deployment=deployment, version=known.version)[0])


def adjusted(tx: Tx, deployment: str, *, since: datetime, until: datetime) -> tuple[AdjustedRate, int]:
    """Return the rate of corrected answers in [since, until), and the number of reviews that correct it."""
    counted = groups(tx, deployment, GroupBy.ALL, since=since, until=until, now=until)
    counts = counted[0].counts if counted else TurnCounts(interactions=0, explicit=0, turns=0, flagged=0)
    made = review_counts(tx, deployment)
    return adjusted_rate(counts, made), made.reviewed_flagged + made.reviewed_unflagged


def implicit_days(
    tx: Tx, deployment: str, *, since: datetime, until: datetime, late_days: int
) -> Mapping[date, int] | None:
    """Return the number of answers of each day that a later turn corrected. A day without one has 0, and a day that the
    newest detector has not judged completely is absent. None when the newest detector has judged no turn.
    """
    known = progress.get(tx, deployment)
    if known is None or review_counts(tx, deployment).turns == 0:
        return None
    window = {"deployment": deployment, "since": since, "until": until, "version": known.version}
    rows = tx.query("production_turns", **window, late_days=late_days)
    found = {row["day"]: int(row["implicit"]) for row in rows}
    days = (since.date() + timedelta(days=n) for n in range((until - since).days + 1))
    return {day: found.get(day, 0) for day in days if is_judged(day, known, late_days)}


def is_judged(day: date, known: TurnProgress, late_days: int) -> bool:
    """Return whether the detector has judged all turns that count on a UTC day."""
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return known.since <= begin and begin + timedelta(days=late_days + 1) <= known.until
