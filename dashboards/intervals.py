"""How sure a single pass rate is."""

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054  # the normal quantile of 0.975


@dataclass(frozen=True, slots=True, kw_only=True)
class RateInterval:
    """A 95 % confidence interval of one rate; both ends are fractions in [0, 1]."""

    low: float
    high: float


def wilson(passed: int, scored: int) -> RateInterval | None:
    """Wilson's score interval at 95 % for `passed` of `scored`; None when nothing was scored: no data is no rate.

    Formula:  (p + z^2/2n -/+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).
    Source:   Wilson, J Am Stat Assoc 22 (1927) 209-212; Brown, Cai and DasGupta, Statistical Science 16 (2001) 101-133.
    Note:     it describes one run. Two runs of the same cases are compared by the paired interval of their finding,
              which is narrower than what two of these suggest.

    >>> interval = wilson(8, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.49, 0.943)
    """
    if scored == 0:
        return None
    if not 0 <= passed <= scored:
        raise ValueError(f"{passed} passed of {scored} scored is impossible")
    rate, weight = passed / scored, Z_95**2 / scored
    middle = rate + weight / 2
    half = math.sqrt(weight * (rate * (1 - rate) + weight / 4))
    low, high = (middle - half) / (1 + weight), (middle + half) / (1 + weight)
    return RateInterval(low=0.0 if passed == 0 else low, high=1.0 if passed == scored else high)
