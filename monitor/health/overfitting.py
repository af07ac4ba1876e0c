"""Overfitting: the score of a private set rises, but corrections in production do not fall."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.wilson import wilson

Floats = NDArray[np.float64]
FEWEST_RUNS = 6
FEWEST_CASES = 20
TWO_SIDED_95 = 1.959964


class Trend(StrEnum):
    """The conclusion from the two series."""

    NO_RISE = "no rise"  # the score of the set did not rise
    FELL_TOO = "production fell too"  # corrections fell as the score rose: the product got better
    OVERFITTING = "probable overfitting"  # corrections did not fall as the rise of the score predicts
    OPEN = "undecided"  # the corrections are compatible with both
    NO_DATA = "no data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The production calls of a period and the number of them that users corrected."""

    calls: int
    corrected: int

    @property
    def share(self) -> float:
        return self.corrected / self.calls if self.calls else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overfitting:
    """The trend of a set and of production.

    `rise` is the change of the set's pass rate from the first third of its runs to the last third. `corrections` is the
    change of the corrected share of production calls in the same time. `expected` is the change that `rise` predicts.
    """

    trend: Trend
    runs: int
    rise: float | None = None
    rise_interval: Interval | None = None
    corrections: float | None = None
    corrections_interval: Interval | None = None
    expected: float | None = None


def overfitting_of(scores: Floats, first: Corrected, last: Corrected) -> Overfitting:
    """Compare the trend of the set with the trend of the corrections.

    Formula:   rise = mean over the cases of (mean score of the last third of the runs - that of the first third), with
               a normal 95 % interval over cases. Scores are averaged and never rounded to pass or fail: one good run
               of two is half a pass. Corrections: share last - share first with Newcombe's interval. With fail rates
               q0, q1 of the set, expected = share first * (q1 / q0 - 1): corrections are proportional to failures.
               No rise: the interval of the rise, or that of the newest run alone against the first third, reaches down
               to 0. A set that rose and then collapsed has not risen.
               Probable overfitting: the rise's interval is above 0 and that of the corrections is above `expected`.
               Production fell too: the corrections' interval is below 0.
    Shapes:    scores [runs, cases] in time order, NaN where not scored; `first` and `last`: production in the time of
               the first and the last third of the runs.
    Empty:     fewer than 6 runs, 20 cases in both thirds, or no calls: no data.
    Source:    Miller, "Adding error bars to evals", 2024 (paired differences, clustered by case); Newcombe, Statistics
               in Medicine 17 (1998) 873-890, method 10.
    Differs:   driftd cannot see missing corrections: a change in how many users send corrections looks the same.
    """
    runs = len(scores)
    third = runs // 3
    if runs < FEWEST_RUNS:
        return Overfitting(trend=Trend.NO_DATA, runs=runs)
    before, after = _means(scores[:third]), _means(scores[-third:])
    both = ~np.isnan(before) & ~np.isnan(after)
    if both.sum() < FEWEST_CASES:
        return Overfitting(trend=Trend.NO_DATA, runs=runs)
    before, after, newest = before[both], after[both], scores[-1][both]
    rise, moved = _mean_interval(after - before), float((after - before).mean())
    found = Overfitting(trend=Trend.NO_RISE, runs=runs, rise=moved, rise_interval=rise)
    if rise.low <= 0.0 or _mean_interval(newest - before).low <= 0.0:
        return found
    if not first.calls or not last.calls:
        return Overfitting(trend=Trend.NO_DATA, runs=runs, rise=moved, rise_interval=rise)
    expected = first.share * ((1.0 - float(after.mean())) / max(1.0 - float(before.mean()), 1e-9) - 1.0)
    change = newcombe_interval(first, last)
    return Overfitting(
        trend=_trend(change, expected),
        runs=runs,
        rise=moved,
        rise_interval=rise,
        corrections=last.share - first.share,
        corrections_interval=change,
        expected=expected,
    )


def newcombe_interval(first: Corrected, last: Corrected) -> Interval:
    """Return the interval of the difference of two shares, last minus first, by Newcombe's hybrid score method.

    >>> found = newcombe_interval(Corrected(calls=70, corrected=56), Corrected(calls=80, corrected=48))
    >>> round(found.low, 4), round(found.high, 4)
    (-0.3339, -0.0524)
    """
    (low0, high0), (low1, high1) = ((float(end) for end in wilson(each.share, each.calls)) for each in (first, last))
    p0, p1 = first.share, last.share
    return Interval(
        low=p1 - p0 - math.hypot(p1 - low1, high0 - p0),
        high=p1 - p0 + math.hypot(high1 - p1, p0 - low0),
    )


def _trend(change: Interval, expected: float) -> Trend:
    if change.high < 0.0:
        return Trend.FELL_TOO
    return Trend.OVERFITTING if change.low > expected else Trend.OPEN


def _mean_interval(differences: Floats) -> Interval:
    """Return the 95 % interval of the mean over cases. Cases that the newest run did not score are left out."""
    known = differences[~np.isnan(differences)]
    if len(known) < FEWEST_CASES:
        return Interval(low=-1.0, high=1.0)
    mean, half = float(known.mean()), TWO_SIDED_95 * float(known.std(ddof=1)) / math.sqrt(len(known))
    return Interval(low=max(mean - half, -1.0), high=min(mean + half, 1.0))


def _means(scores: Floats) -> Floats:
    """Return the mean score of each case, NaN without a score."""
    known = ~np.isnan(scores)
    count = known.sum(axis=0)
    mean: Floats = np.where(known, scores, 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan)
