"""The smallest step of the nights' scores that the evidence for silent drift finds, tonight or within some nights."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from monitor.stats.shiryaev_roberts import Mixture, shiryaev_roberts
from monitor.stats.studentise import studentise

Floats = NDArray[np.float64]
POWER = 0.8
PATHS = 60
LARGEST = 30.0  # in root mean squares of a night: the t distribution of five nights asks for fewer
STEPS = 9  # at most, of the secant method
NEAR = 0.1  # of the evidence in logs: the step is then right to about a hundredth
HEAD_START = 14  # nights watched before the step; older onsets have lost their evidence by then
FEWEST_BEFORE = 3  # a score is studentised by two earlier ones, and the first night has no score
_GROWTH = 1.1  # of the counts of nights that stand for all counts near them


def step_needed(log_needed: float, nights_before: int, watched: int, mixture: Mixture, nights: int) -> float | None:
    """Return the smallest step of a channel's score that alarms within `nights` nights in 80 % of paths.

    Formula:   the root of (20 % quantile over paths of the largest log evidence) - `log_needed`, by the secant method.
               A path is standard normal for the r nights before, with the root mean square 1; s nights in, its mean is
               d sqrt(r (r + 1)) / sqrt(s (s + 1)), since a self-starting reference absorbs the step.
    Range:     above 0, in root mean squares of the earlier scores; None when 30 is not enough.
    Direction: grows with `log_needed`, falls with more nights before or after.
    Smallest:  three nights before; None below. Counts of nights above 14 are rounded down by up to a tenth. 60 seeded
               paths, their sums over the nights stratified: right to about a thirtieth.
    Source:    this repository; it calls the detector itself.

    >>> from monitor.stats.shiryaev_roberts import WHOLE
    >>> step = step_needed(8.3, 60, 14, WHOLE, 7)
    >>> step is not None and 1.9 < step < 2.4
    True
    """
    if nights_before < FEWEST_BEFORE or not math.isfinite(log_needed):
        return None
    before = _rounded(nights_before)
    return _step_needed(round(log_needed, 1), before, min(_rounded(watched), before - 1, HEAD_START), mixture, nights)


def _rounded(nights: int) -> int:
    """Down to a power of 1.1 above 14 nights, so that a set asks the same question for some nights.

    >>> [_rounded(n) for n in (0, 5, 14, 15, 16, 60, 200)]
    [0, 5, 14, 15, 15, 56, 196]
    """
    if nights <= 14:
        return max(nights, 0)
    return int(15 * _GROWTH ** math.floor(math.log(nights / 15 + 1e-9, _GROWTH)) + 1e-9)


@lru_cache(maxsize=256)
def _step_needed(log_needed: float, before: int, watched: int, mixture: Mixture, nights: int) -> float | None:
    noise = _paths(before, nights)
    place = np.arange(before, before + nights)
    fading = np.sqrt(before * (before + 1.0)) / np.sqrt(place * (place + 1.0))

    def excess(step: float) -> float:
        """Of the evidence that all but a fifth of the paths reach, over what is needed."""
        z = noise.copy()
        z[before:] += step * fading[:, None]
        largest = _log_e(z, before - watched, mixture)[before:].max(axis=0)
        return float(np.quantile(largest, 1.0 - POWER, method="inverted_cdf")) - log_needed

    return _root(excess, guess=math.sqrt(2.0 * (max(log_needed, 0.0) + 2.0) / nights) + 0.4)


def _log_e(z: Floats, first_onset: int, mixture: Mixture) -> Floats:
    return shiryaev_roberts(studentise(z), max(first_onset, 1), [mixture] * z.shape[1]).log_e


@lru_cache(maxsize=64)
def _paths(before: int, nights: int) -> Floats:
    """[before + nights, PATHS] without a step; the sums of the last nights are evenly spread normal quantiles."""
    from scipy.special import ndtri

    rng = np.random.default_rng(1000 * before + nights)
    noise = rng.standard_normal((before + nights, PATHS))
    noise[0] = np.nan  # a self-starting score needs a night before it
    noise[1:before] /= np.sqrt((noise[1:before] ** 2).mean(axis=0))
    sums = np.asarray(ndtri((np.arange(PATHS) + 0.5) / PATHS), dtype=np.float64)
    noise[before:] += sums / math.sqrt(nights) - noise[before:].mean(axis=0)
    return noise


def _root(excess: Callable[[float], float], *, guess: float) -> float | None:
    """Where a rising function reaches 0, by secants that stay between the ends tried; None when `LARGEST` is below."""
    low, high = 0.0, LARGEST
    x, before = guess, None
    for _ in range(STEPS):
        y = excess(x)
        if y < 0.0:
            low = max(low, x)
        else:
            high = min(high, x)
        if abs(y) < NEAR:
            return x
        slope = 4.0 * guess if before is None or before[0] == x else (y - before[1]) / (x - before[0])
        before = (x, y)
        ahead = x - y / max(slope, 1e-3)
        x = ahead if low < ahead < high else (low + high) / 2.0
    return high if high < LARGEST else None
