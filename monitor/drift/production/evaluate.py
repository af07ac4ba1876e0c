"""One look at a series of production: the days that count for it, and what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from monitor.domain.production import DayCounts, ProductionPolicy, Series
from monitor.drift.production.points import Points, points_of
from monitor.drift.production.verdict import SeriesVerdict, first_day, judge_series

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesTest:
    """`day` is the last one that may count, whether there were calls on it or not."""

    day: date
    points: Points
    verdict: SeriesVerdict


def last_day(series: Series, today: date, policy: ProductionPolicy) -> date:
    """The newest complete day; of corrections the newest whose corrections have all had their time."""
    return today - DAY - (DAY * policy.late_days if series is Series.CORRECTIONS else timedelta())


def oldest_day(today: date, policy: ProductionPolicy) -> date:
    """From where on days are needed, whichever series is looked at."""
    return min(first_day(last_day(series, today, policy), policy) for series in (Series.CORRECTIONS, Series.LATENCY))


def evaluate_series(
    series: Series,
    days: Sequence[DayCounts],
    *,
    deployment: str,
    today: date,
    policy: ProductionPolicy,
    accepted: date | None,
    open_onset: date | None,
) -> SeriesTest:
    """`days` reach from `oldest_day` to yesterday; those before an `accepted` baseline do not count. `open_onset` is
    the onset of the series' open alert.
    """
    last = last_day(series, today, policy)
    first = max(first_day(last, policy), accepted or date.min)
    points = points_of(series, [row for row in days if first <= row.day <= last])
    return SeriesTest(day=last, points=points, verdict=judge_series(points, deployment, series, policy, open_onset))
