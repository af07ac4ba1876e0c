"""Overdispersion of days: days vary by more than chance, busy days most. Brings the z of unequal days to one spread."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def day_gain(trials: NDArray[np.int64], stratum: NDArray[np.int64]) -> Floats:
    """Return how strongly the `rate_z` of each night depends on a day effect: its variance is 1 + rho gain.

    Formula:   night t with m trials against its stratum's earlier nights with m_i, M in all:
               gain = ((1 - 1/m) + sum m_i (m_i - 1) / M^2) / (1/m + 1/M), rho the intraclass correlation within a day.
    Range:     [0, m); NaN where `rate_z` is.
    Direction: rises with the trials of the night and of its past.
    Shapes:    int64[T], int64[T] -> float64[T].
    Empty:     nights without trials give NaN.
    Smallest:  one earlier night of the stratum.
    Source:    variance of a beta-binomial: Williams, Applied Statistics 31 (1982) 144-148, applied to both rates.
    Differs:   in nothing.

    >>> day_gain(np.array([100, 100, 400]), np.array([0, 0, 0])).round(1).tolist()
    [nan, 99.0, 199.0]
    """
    gain = np.full(len(trials), np.nan)
    past: dict[int, tuple[float, float]] = {}
    for t in np.flatnonzero(trials).tolist():
        m, key = float(trials[t]), int(stratum[t])
        total, pairs = past.get(key, (0.0, 0.0))
        past[key] = (total + m, pairs + m * (m - 1.0))
        if total:
            gain[t] = (1.0 - 1.0 / m + pairs / total**2) / (1.0 / m + 1.0 / total)
    return gain


def equalise(z: Floats, gain: Floats) -> Floats:
    """Return z of nights with unequal day effects, brought to about one spread by what the earlier nights showed.

    Formula:   z_t sqrt((1 + rho_t G_t) / (1 + rho_t gain_t)), G_t the mean gain of the known nights so far, tonight's
               included, and rho_t = max(0, mean over earlier known nights of (z_i^2 - 1) / gain_i).
    Range:     the sign of z; nights of one gain are left exactly as they are.
    Direction: that of z.
    Shapes:    float64[T], float64[T] -> float64[T]; only earlier nights decide about a night.
    Empty:     NaN stays NaN and is skipped; nights are left alone while no earlier one is known.
    Smallest:  two known nights; the common spread that is left is the business of `studentise`.
    Source:    method of moments for rho: Williams, Applied Statistics 31 (1982) 144-148, section 4.
    Differs:   weights every earlier night the same, which is the best weight where day effects rule.

    >>> equalise(np.array([3.0, -3.0, 3.0]), np.array([8.0, 8.0, 24.0])).round(2).tolist()
    [3.0, -3.0, 2.27]
    """
    usable = ~np.isnan(z) & (gain > 0.0)
    safe = np.where(usable, gain, 1.0)
    excess = np.where(usable, (np.where(usable, z, 0.0) ** 2 - 1.0) / safe, 0.0)
    earlier: NDArray[np.int64] = np.cumsum(usable) - usable
    rho = np.maximum((np.cumsum(excess) - excess) / np.maximum(earlier, 1), 0.0)
    typical = np.cumsum(np.where(usable, gain, 0.0)) / np.maximum(np.cumsum(usable), 1)
    share = np.where(usable, (1.0 + rho * typical) / (1.0 + rho * safe), 1.0)
    return np.asarray(z * np.sqrt(share), dtype=np.float64)
