"""The smallest step of the scores that the looks after an announced change find."""

from collections.abc import Sequence

import numpy as np

from monitor.stats.normal import normal_cdf
from monitor.stats.power import steps_to_bounds
from monitor.stats.two_versions.known_change import NightSpread, shrunk_spread

POWER_SCORE = 0.8416212335729143  # normal quantile of the power, 80 %


def score_found(bounds: Sequence[float], looks: Sequence[int], spread: NightSpread, baseline_nights: int) -> float:
    """Return the mean score, at the last of `looks`, of the smallest step that reaches a bound by then with 80 % power.

    Formula:   each bound goes through the t distribution and the settled spread that `known_change_z` divides by; the
               step is that of `steps_to_bounds`, as the score sqrt(I) d of the last look.
    Range:     above 0; in units of sampling, so that nights which vary more ask for more.
    Direction: grows with the bounds and the spread, falls with more nights before.
    Shapes:    as many bounds as looks; `spread` of one channel in the nights before the change, arrays [1].
    Smallest:  two nights before the change.
    Source:    as `plan` in `power`; the t distribution: Student, Biometrika 6 (1908).
    Differs:   the nights after the change are taken to vary as those before.

    >>> steady = NightSpread(square=np.ones(1), nights=np.array([14.0]))
    >>> one, seven = (score_found([2.6] * count, (1, 2, 3, 5, 7)[:count], steady, 14) for count in (1, 5))
    >>> round(one, 2), seven < one
    (3.59, True)
    """
    from scipy.special import stdtrit

    bounds_of_z, scale = [], 1.0
    for bound, look in zip(bounds, looks, strict=True):
        known = shrunk_spread(NightSpread(square=spread.square, nights=spread.nights + look))
        degrees, tail = max(float(known.nights[0]), 1.0), normal_cdf(-bound)
        scale = float(np.sqrt(known.square[0]))
        bounds_of_z.append(float(-stdtrit(degrees, tail)))
    step = steps_to_bounds(tuple(round(bound, 3) for bound in bounds_of_z), baseline_nights, tuple(looks))[-1]
    information = 1.0 / (1.0 / baseline_nights + 1.0 / looks[-1])
    return float(step * np.sqrt(information) * scale)
