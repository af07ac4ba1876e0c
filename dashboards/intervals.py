"""The 95 % confidence interval of one pass rate."""

from dataclasses import dataclass

from monitor.stats.wilson import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class RateInterval:
    """A 95 % confidence interval of one rate; both ends are fractions in [0, 1]."""

    low: float
    high: float


def rate_interval(passed: int, scored: int) -> RateInterval | None:
    """Return Wilson's interval for `passed` of `scored`; None when nothing was scored.

    The interval describes one run. Two runs of the same cases are compared by the paired interval of their finding,
    which is narrower than two of these intervals suggest.

    >>> interval = rate_interval(8, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.49, 0.943)
    """
    if scored == 0:
        return None
    if not 0 <= passed <= scored:
        raise ValueError(f"{passed} passed of {scored} scored is impossible")
    low, high = wilson(passed / scored, scored)
    return RateInterval(low=float(low), high=float(high))
