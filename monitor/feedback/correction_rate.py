"""Compares the rate of corrections before and after a change: a share of interactions, day by day."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.feedback import CorrectionDay

Z95 = 1.959963984540054
MIN_DAYS = 4  # on each side, before days say how much they differ by themselves
MIN_FALL = 0.25  # share of the rate before: `fell` is False when a fall of this size is excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionChange:
    """Corrections per interaction; `low` and `high` are the 95 % interval of the difference, after minus before."""

    before: float
    after: float
    low: float
    high: float

    @property
    def fell(self) -> bool | None:
        """True when the interval is below 0, False when it excludes a fall of a quarter, else None."""
        if self.high < 0.0:
            return True
        return False if self.low > -MIN_FALL * self.before else None


def correction_change(before: Sequence[CorrectionDay], after: Sequence[CorrectionDay]) -> CorrectionChange | None:
    """Return the change of the rate of corrections; None with too few days, or without any correction.

    Formula:   rate r = sum c / sum n over the days of a side; its variance the larger of two: days as clusters,
               D / (D - 1) sum (c - r n)^2 / (sum n)^2, and independent corrections, r / sum n, of at least one
               correction. The interval is the difference +/- t sqrt(v_before + v_after), t with the degrees of freedom
               of Satterthwaite.
    Direction: negative is fewer corrections.
    Shapes:    one entry a day; days without an interaction are left out.
    Smallest:  four days on each side.
    Source:    ratio estimator: Cochran, Sampling Techniques (3rd ed. 1977), section 6.3.
    Differs:   the floor of the variance: days that happen to be alike prove nothing.

    >>> quiet = [CorrectionDay(interactions=1000, corrections=n) for n in (48, 52, 50, 50, 49, 51)]
    >>> calm = [CorrectionDay(interactions=1000, corrections=n) for n in (20, 22, 18, 20)]
    >>> correction_change(quiet, calm).fell, correction_change(quiet, quiet).fell
    (True, False)
    """
    period_before, period_after = _Period.of(before), _Period.of(after)
    if period_before is None or period_after is None or period_before.corrections + period_after.corrections == 0:
        return None
    total = period_before.variance + period_after.variance
    degrees = total**2 / (
        period_before.variance**2 / (period_before.days - 1) + period_after.variance**2 / (period_after.days - 1)
    )
    half = _t975(degrees) * math.sqrt(total)
    difference = period_after.rate - period_before.rate
    return CorrectionChange(
        before=period_before.rate, after=period_after.rate, low=difference - half, high=difference + half
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Period:
    days: int
    corrections: int
    rate: float
    variance: float

    @classmethod
    def of(cls, days: Sequence[CorrectionDay]) -> "_Period | None":
        days_with_traffic = [day for day in days if day.interactions > 0]
        if len(days_with_traffic) < MIN_DAYS:
            return None
        n, c = sum(day.interactions for day in days_with_traffic), sum(day.corrections for day in days_with_traffic)
        rate = c / n
        spread = sum((day.corrections - rate * day.interactions) ** 2 for day in days_with_traffic)
        clustered = len(days_with_traffic) / (len(days_with_traffic) - 1) * spread / n**2
        return cls(days=len(days_with_traffic), corrections=c, rate=rate, variance=max(clustered, max(c, 1) / n**2))


def _t975(degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.975))
