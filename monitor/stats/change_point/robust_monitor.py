"""A nightly z of latency or cost that is robust to single outliers: ranks of daily levels, weekday by weekday."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.series import SeriesMonitor, Worse, monitor_series
from monitor.stats.normal import normal_quantile

Floats = NDArray[np.float64]


def daily_log_level(days: Sequence[Floats], quantile: float, fewest: int = 20) -> Floats:
    """Return the natural logarithm of one quantile of the values of each day: 0.5 for the usual, 0.95 for the high
    values.

    Formula:   log of the ceil(quantile m)-th smallest of the day's m values.
    Range:     any number; a change of 0.18 is one of 20 %.
    Direction: that of the values.
    Shapes:    T arrays float64[m_t] in one unit (ms, USD) -> float64[T].
    Empty:     NaN values are left out; a day with fewer than `fewest` values, or whose quantile is 0, gives NaN.
    Smallest:  `fewest`: a 95th percentile of fewer than 20 values is their maximum.
    Source:    Hyndman and Fan, The American Statistician 50 (1996) 361-365, definition 1.
    Differs:   in nothing.

    >>> days = [np.array([100.0, 120.0, 4000.0]), np.array([110.0])]
    >>> daily_log_level(days, 0.5, fewest=3).round(3).tolist()
    [4.787, nan]
    """
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"a quantile must be between 0 and 1, got {quantile}")
    return np.array([_log_level(day, quantile, fewest) for day in days], dtype=np.float64)


def _log_level(day: Floats, quantile: float, fewest: int) -> float:
    known = day[~np.isnan(day)]
    if known.size and known.min() < 0.0:
        raise ValueError(f"latencies and costs must not be negative, got {float(known.min())}")
    if known.size < max(fewest, 1):
        return float("nan")
    level = float(np.quantile(known, quantile, method="inverted_cdf"))
    return float(np.log(level)) if level > 0.0 else float("nan")


def robust_z(level: Floats, stratum: NDArray[np.int64], uniforms: Floats) -> Floats:
    """Return one z per night of the rank of its level among the nights so far, each against its own stratum (weekday).

    Formula:   d_t = (y_t - HL) sqrt(h / (h + 1)), HL the Hodges-Lehmann centre of the h earlier levels of the stratum
               (the median of the means of all pairs, a value with itself included); among d_1..d_t, with u uniform,
               z_t = Phi^-1((number below d_t + u (number equal to d_t, itself included)) / t).
    Range:     N(0, 1) and independent over nights if the d are exchangeable: exactly with one known centre, nearly with
               weekday effects that add to exchangeable noise (the centre of few nights is not equally sure).
    Direction: positive is slower or dearer than usual.
    Shapes:    float64[T], int64[T] (any labels), float64[T] uniforms in [0, 1] -> float64[T].
    Empty:     NaN levels and the first known night of a stratum give NaN; the latter becomes its past.
    Smallest:  the third night of a single stratum; |z| is rarely above Phi^-1(1 - 1/(2t)): 2.1 after 28 nights. That is
               why one wild day is never an alarm, and a level that stays up is one within about a week.
    Source:    Hodges and Lehmann, Ann Math Statist 34 (1963) 598-611; sequential ranks: Parent, Stanford technical
               report 80 (1965); as conformal p-values: Vovk, Gammerman and Shafer (2005), section 2.2.
    Differs:   the centre comes from the stratum, the ranks from all strata together.

    >>> robust_z(np.array([4.6, 4.7, 4.5, 4.6, 5.4]), np.zeros(5, dtype=np.int64), np.full(5, 0.5)).round(2).tolist()
    [nan, 0.0, -0.67, 0.0, 1.15]
    """
    if not len(level) == len(stratum) == len(uniforms):
        raise ValueError(f"one of each a night: {len(level)} levels, {len(stratum)} strata, {len(uniforms)} uniforms")
    if not np.all((uniforms >= 0.0) & (uniforms <= 1.0)):
        raise ValueError("uniforms must be between 0 and 1: draw them from a seeded generator")
    deviation = _deviations(level, stratum)
    z = np.full(len(level), np.nan)
    seen: list[float] = []
    for t in np.flatnonzero(~np.isnan(deviation)).tolist():
        seen.append(float(deviation[t]))
        earlier = np.array(seen)
        rank = np.sum(earlier < deviation[t]) + uniforms[t] * np.sum(earlier == deviation[t])
        z[t] = normal_quantile(float(np.clip(rank / earlier.size, 1e-12, 1.0 - 1e-12)))
    return z


def monitor_level(
    level: Floats,
    stratum: NDArray[np.int64],
    uniforms: Floats,
    *,
    baseline: int,
    alpha: float = 0.05,
    horizon: int = 180,
    worse: Worse = "up",
) -> SeriesMonitor:
    """Has the level of latency or cost changed for good? `robust_z`, then `monitor_series`; see both.

    Of 150 seeded unchanged half-years a cell (300 values a day of log-sd 0.8, weekdays +/-50 %, day effects of log-sd
    0.03, normal or t with 3 degrees of freedom) 0 to 2 % alarmed at alpha 0.05. A rise of 20 % was detected on the 6th
    or 7th day at the median, in the 95th percentile on the 11th; one day at 7 times the level was never an alarm.

    >>> days = np.arange(56)
    >>> level = np.log(np.where(days < 49, 800.0, 1000.0)) + np.array([-0.03, 0.0, 0.05, -0.01, 0.02])[days % 5]
    >>> watch = monitor_level(level, days % 7, np.full(56, 0.5), baseline=28)
    >>> watch.alarm, watch.onset
    (52, 49)
    """
    z = robust_z(level, stratum, uniforms)
    return monitor_series(z, baseline=baseline, alpha=alpha, horizon=horizon, worse=worse)


def _deviations(level: Floats, stratum: NDArray[np.int64]) -> Floats:
    """Return the distance of each night to the centre of the earlier nights of its stratum, scaled for the error of the
    centre.
    """
    deviation = np.full(len(level), np.nan)
    past: dict[int, list[float]] = {}
    for t in np.flatnonzero(~np.isnan(level)).tolist():
        earlier = past.setdefault(int(stratum[t]), [])
        if earlier:
            deviation[t] = (level[t] - _centre(earlier)) * np.sqrt(len(earlier) / (len(earlier) + 1.0))
        earlier.append(float(level[t]))
    return deviation


def _centre(values: list[float]) -> float:
    first, second = np.triu_indices(len(values))
    known = np.array(values)
    return float(np.median((known[first] + known[second]) / 2.0))
