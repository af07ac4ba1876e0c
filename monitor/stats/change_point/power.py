"""The smallest step of the scores that the change-point detector finds, on the same night or within some nights."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.shiryaev_roberts import Mixture, shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise

Floats = NDArray[np.float64]
POWER = 0.8
FEW_PATHS = 24  # to come near the step
PATHS = 120  # for the result
ASIDE = 0.05  # of the step: how far off the second point of its slope is
MIN_STEP, LARGEST = 0.1, 60.0  # in root mean squares of a night: the t distribution of five nights needs fewer
STEPS = 12  # at most, towards a root
TOLERANCE = 0.3  # of the evidence in logs: a few hundredths of the step
HEAD_START = 14  # nights watched before the step; older onsets have lost their evidence by then
MIN_BEFORE = 3  # a score is studentised by two earlier ones, and the first night has no score
MAX_BEFORE = 100  # more nights before are worth little more
_GROWTH = 1.1  # of the counts of nights that represent all counts near them


def step_needed(
    log_needed: float, nights_before: int, candidate_onsets: int, mixture: Mixture, nights: int
) -> float | None:
    """Return the smallest step of the score of a channel that alarms within `nights` nights in 80 % of paths.

    Formula:   the root of (20 % quantile over paths of the largest log evidence) - `log_needed`, by the secant
               method on few paths and a line through two points of many.
               A path is standard normal for the r nights before, with the root mean square 1; s nights in, its mean is
               d sqrt(r (r + 1)) / sqrt(s (s + 1)), since a self-starting reference absorbs the step.
    Range:     above 0, in root mean squares of the earlier scores; None when 60 is not enough.
    Direction: grows with `log_needed`, falls with more nights before or after.
    Smallest:  three nights before; None below. Counts of nights above 14 are rounded down by up to a tenth, and
               above 100 to 91. 120 seeded paths, their sums over the nights stratified: right to about a fortieth.
    Source:    this repository; it calls the detector itself.

    >>> from monitor.stats.change_point.shiryaev_roberts import WHOLE
    >>> step = step_needed(8.3, 60, 14, WHOLE, 7)
    >>> step is not None and 1.9 < step < 2.4
    True
    """
    if nights_before < MIN_BEFORE or not math.isfinite(log_needed):
        return None
    before = _rounded(nights_before)
    return _step_needed(
        round(log_needed, 1), before, min(_rounded(candidate_onsets), before - 1, HEAD_START), mixture, nights
    )


def _rounded(nights: int) -> int:
    """Return the nights rounded down to a power of 1.1 above 14, so that a result is reused for some nights.

    >>> [_rounded(n) for n in (0, 5, 14, 15, 16, 60, 200)]
    [0, 5, 14, 15, 15, 56, 91]
    """
    if nights <= 14:
        return max(nights, 0)
    nights = min(nights, MAX_BEFORE)
    return int(15 * _GROWTH ** math.floor(math.log(nights / 15 + 1e-9, _GROWTH)) + 1e-9)


@lru_cache(maxsize=256)
def _step_needed(log_needed: float, before: int, candidate_onsets: int, mixture: Mixture, nights: int) -> float | None:
    def excess(step: float, paths: int) -> float:
        """Return the evidence that all but a fifth of the paths reach, minus the threshold."""
        z = _paths(before, nights, paths).copy()
        z[before:] += step * _fading(before, nights)[:, None]
        largest = _log_e(z, before - candidate_onsets, mixture)[before:].max(axis=0)
        return float(np.quantile(largest, 1.0 - POWER, method="inverted_cdf")) - log_needed

    guess = math.sqrt(2.0 * (max(log_needed, 0.0) + 2.0) / nights) + 0.4
    approximate = _root(lambda step: excess(step, FEW_PATHS), guess=guess)
    if approximate is None:
        return None
    excess_there = excess(approximate, PATHS)
    other = approximate * (1.0 - math.copysign(ASIDE, excess_there))
    slope = (excess(other, PATHS) - excess_there) / (other - approximate)
    return approximate - excess_there / slope if slope > 0.0 else approximate


def _fading(before: int, nights: int) -> Floats:
    night = np.arange(before, before + nights)
    fading: Floats = np.sqrt(before * (before + 1.0)) / np.sqrt(night * (night + 1.0))
    return fading


def _log_e(z: Floats, first_onset: int, mixture: Mixture) -> Floats:
    return shiryaev_roberts(studentise(Scores.of(z)), max(first_onset, 1), [mixture] * z.shape[1]).log_e


@lru_cache(maxsize=64)
def _paths(before: int, nights: int, paths: int) -> Floats:
    """Return [before + nights, paths] without a step; the sums of the last nights are evenly spread normal
    quantiles.
    """
    from scipy.special import ndtri

    rng = np.random.default_rng(1000 * before + nights)
    noise = rng.standard_normal((before + nights, paths))
    noise[0] = np.nan  # a self-starting score needs a night before it
    noise[1:before] /= np.sqrt((noise[1:before] ** 2).mean(axis=0))
    sums = np.asarray(ndtri((np.arange(paths) + 0.5) / paths), dtype=np.float64)
    noise[before:] += sums / math.sqrt(nights) - noise[before:].mean(axis=0)
    return noise


def _root(excess: Callable[[float], float], *, guess: float) -> float | None:
    """Return approximately where a rising function reaches 0; None when that is above `LARGEST`.

    Uses secant steps, and bisection in the logarithm when they leave the bracket.
    """
    low, high = MIN_STEP, LARGEST
    x, before = guess, (MIN_STEP, -math.inf)
    for step in range(STEPS):
        y = excess(x)
        if abs(y) < TOLERANCE:
            return x
        low, high = (x, high) if y < 0.0 else (low, x)
        slope = (y - before[1]) / (x - before[0])
        candidate = x - y / slope if math.isfinite(slope) and slope > 0.0 else math.nan
        before = (x, y)
        x = candidate if low < candidate < high and step % 3 < 2 else math.sqrt(low * high)
    return None if high >= LARGEST else x
