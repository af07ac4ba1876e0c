"""A time axis for runs: every run at its time, and runs that follow each other by minutes apart from each other.

A replay after a change follows a nightly run by minutes: on the axis of a month the two would cover each other. Each
moment is drawn at its time, moved as little as possible (least squares) so that neighbours keep a minimum distance. The
order never changes, and tooltips name the exact times.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

import altair as alt

from dashboards.charts.axes import quiet_axis
from dashboards.times import reader_zone, zone_name

APART = 0.02  # minimum distance of neighbours, as a share of the axis: 7 px on a phone, 25 px on a desktop
FULLEST = 0.8  # with many moments the minimum distances take at most this share of the axis
MARGIN = 0.02  # free share of the axis on both sides
TAIL = 0.08  # share of the axis behind the last moment, where the last step of an area is drawn
ALONE = timedelta(hours=12)  # free time on both sides of a single moment
_MS = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """The places of moments in milliseconds since 1970, and the ends of the axis."""

    places: Mapping[datetime, float]
    begin: float
    end: float

    @classmethod
    def of(cls, moments: Iterable[datetime], *, until: datetime | None = None) -> "TimeAxis":
        """Return the axis of these moments: the starts of runs and the times of changes. Behind the last one it is
        longer by up to TAIL, but it does not pass `until`, the present.
        """
        known = sorted(set(moments))
        times = [at.timestamp() * _MS for at in known]
        span = times[-1] - times[0] if times else 0.0
        places = spread(times, min(APART, FULLEST / max(len(times), 1)) * span)
        margin = MARGIN * span or ALONE.total_seconds() * _MS
        first, last = (places[0], places[-1]) if places else (0.0, 0.0)
        end = last + margin if until is None else max(last + margin, min(until.timestamp() * _MS, last + TAIL * span))
        return cls(places=dict(zip(known, places, strict=True)), begin=first - margin, end=end)

    def place(self, at: datetime) -> float:
        """Return the place of a moment of the axis."""
        return self.places[at]

    def at(self, place: float) -> datetime:
        """Return the time at a place of the axis, in the zone of the reader."""
        return datetime.fromtimestamp(place / _MS, reader_zone())

    def share(self, at: datetime) -> float:
        """Return the place of a moment as a share of the axis, 0 to 1."""
        return (self.places[at] - self.begin) / (self.end - self.begin)

    def x(self, most_labels: int, *, title: bool = True) -> alt.X:
        """Return the axis of the field `order`, with at most `most_labels` labels in the time zone of the reader."""
        found = ticks(self.at(self.begin), self.at(self.end), most_labels)
        labels = {int(at.timestamp() * _MS): label for at, label in found}
        return alt.X(
            "order:Q",
            title=f"time ({zone_name()})" if title else None,
            scale=alt.Scale(domain=[self.begin, self.end], nice=False, zero=False),
            axis=quiet_axis(
                values=list(labels),
                labelExpr=f"({json.dumps(labels)})[datum.value]",
                labelOverlap="greedy",
                labelAngle=0,
            ),
        )


def ticks(begin: datetime, end: datetime, most: int) -> list[tuple[datetime, str]]:
    """Return at most `most` round times between `begin` and `end` with their labels: hours, days, months or years in
    the zone of `begin`.

    >>> at = datetime(2026, 3, 6, 2, 14)
    >>> [label for _, label in ticks(at, at + timedelta(days=30), 4)]
    ['08 Mar', '15 Mar', '22 Mar', '01 Apr']
    >>> [label for _, label in ticks(at, at + timedelta(hours=30), 4)]
    ['12:00', '07 Mar']
    """
    return next((found for form, step in STEPS if len(found := _ticks(begin, end, form, step, most)) <= most), [])


# Each step divides the day, the month (from day 1, 15 or 29) or the year, so that the labels are round.
STEPS: tuple[tuple[str, int], ...] = (
    *(("hour", hours) for hours in (1, 3, 6, 12)),
    *(("day", days) for days in (1, 2, 7, 14)),
    *(("month", months) for months in (1, 3, 6, 12, 24, 60, 120)),
)


def _ticks(begin: datetime, end: datetime, unit: str, step: int, most: int) -> list[tuple[datetime, str]]:
    """Return the ticks of one step, and one more than `most` when there are too many."""
    found: list[tuple[datetime, str]] = []
    at = _first(begin, unit)
    while at <= end and len(found) <= most:
        if at >= begin and _is_round(at, unit, step):
            found.append((at, _label(at, unit)))
        at = _next(at, unit)
    return found


def _first(begin: datetime, unit: str) -> datetime:
    hour = begin.replace(minute=0, second=0, microsecond=0, fold=0)
    day = hour if unit == "hour" else hour.replace(hour=0)
    return day.replace(day=1) if unit == "month" else day


def _next(at: datetime, unit: str) -> datetime:
    if unit == "month":
        return at.replace(year=at.year + at.month // 12, month=at.month % 12 + 1)
    return at + (timedelta(hours=1) if unit == "hour" else timedelta(days=1))


def _is_round(at: datetime, unit: str, step: int) -> bool:
    counted = {"hour": at.hour, "day": at.day - 1, "month": 12 * at.year + at.month - 1}[unit]
    return counted % step == 0 and not (unit == "day" and step > 1 and at.day > LAST_ROUND_DAY)


LAST_ROUND_DAY = 28  # a tick on a later day would touch the tick on day 1


def _label(at: datetime, unit: str) -> str:
    if unit == "month":
        return f"{at:%b %Y}"
    return f"{at:%d %b}" if at.hour == 0 else f"{at:%H:%M}"


def spread(times: Sequence[float], apart: float) -> list[float]:
    """Return `times`, which are sorted, moved as little as possible so that neighbours are at least `apart` away.

    The sum of squared moves is minimal: without the distances it is the isotonic regression of `times[i] - i * apart`,
    found by pooling adjacent violators. Source: Barlow et al., "Statistical Inference under Order Restrictions", 1972.

    >>> spread([0.0, 1.0, 10.0], 4.0)
    [-1.5, 2.5, 10.0]
    >>> spread([0.0, 5.0, 10.0], 4.0)
    [0.0, 5.0, 10.0]
    """
    pools: list[tuple[float, int]] = []  # mean and size
    for index, time in enumerate(times):
        mean, size = time - index * apart, 1
        while pools and pools[-1][0] > mean:
            other, more = pools.pop()
            mean, size = (mean * size + other * more) / (size + more), size + more
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    return [place + index * apart for index, place in enumerate(flat)]


def held(places: Sequence[float], end: float) -> list[float]:
    """Return where each step of a stepped area ends: at the next place, but after at most twice the upper quartile of
    the steps. A longer pause stays empty, because nothing was measured in it.

    >>> held([0.0, 1.0, 2.0, 3.0, 9.0], 10.0)
    [1.0, 2.0, 3.0, 5.0, 10.0]
    """
    steps = sorted(after - before for before, after in pairwise(places))
    longest = 2 * steps[3 * (len(steps) - 1) // 4] if steps else end - places[0] if places else 0.0
    following = [*places[1:], end]
    return [min(after, place + longest) for place, after in zip(places, following, strict=False)]
