"""From the nightly z of one production series to an alarm with its onset."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.shiryaev_roberts import shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise

Floats = NDArray[np.float64]
Worse = Literal["up", "down", "either"]  # the direction of change that raises an alarm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesMonitor:
    """The evidence of a series.

    - `log_e` [T]: natural logarithm of the evidence on each night, -inf inside the baseline.
    - `alarm`: the first night with evidence at or above the threshold, or None.
    - `onset`: where the change began, as estimated on that night.
    - `rose`: whether the level went up.
    """

    log_e: Floats
    log_threshold: float
    alarm: int | None
    onset: int | None
    rose: bool | None


def monitor_series(z: Floats, *, baseline: int, alpha: float, horizon: int, worse: Worse = "up") -> SeriesMonitor:
    """Return the evidence of every night that the series changed, and the first night with enough of it.

    Formula:   z is studentised, then a Shiryaev-Roberts mixture M_t (both of its directions averaged for "either");
               the alarm is the first night with M_t >= horizon / alpha.
    Range:     log_e in [-inf, inf); P(alarm within `horizon` monitored nights) <= alpha, and at least horizon / alpha
               nights to a false alarm on average, if z is independent N(0, s^2) under 'no change', whatever s.
    Direction: `worse` "up" detects rises only, "down" falls only.
    Shapes:    z float64[T], night 0 the first of the baseline; `baseline` nights raise no alarm.
    Empty:     NaN nights add no evidence and take none away.
    Smallest:  baseline 1, but weekdays need a week to be known at all and two or three to be known well.
    Source:    see `studentise` and `shiryaev_roberts`.
    Differs:   in nothing.

    >>> z = np.array([1.0, -1.0] * 10 + [3.0] * 6)
    >>> watch = monitor_series(z, baseline=20, alpha=0.05, horizon=180)
    >>> watch.alarm, watch.onset, watch.rose
    (23, 20, True)
    """
    _check(baseline, alpha, horizon)
    up = studentise(Scores.of(z[:, None]), sampled=False)
    columns = {"up": up, "down": -up, "either": np.hstack([up, -up])}[worse]
    evidence = shiryaev_roberts(columns, baseline)
    log_e = evidence.average(np.full(columns.shape[1], 1.0 / columns.shape[1]))
    log_threshold = math.log(horizon / alpha)
    crossed = np.flatnonzero(log_e >= log_threshold)
    if not crossed.size:
        return SeriesMonitor(log_e=log_e, log_threshold=log_threshold, alarm=None, onset=None, rose=None)
    alarm = int(crossed[0])
    channel = int(evidence.log_best[alarm].argmax())
    return SeriesMonitor(
        log_e=log_e,
        log_threshold=log_threshold,
        alarm=alarm,
        onset=int(evidence.onset[alarm, channel]),
        rose=worse == "up" or (worse == "either" and channel == 0),
    )


def _check(baseline: int, alpha: float, horizon: int) -> None:
    if baseline < 1:
        raise ValueError(f"at least one night must precede the first monitored one, the baseline has {baseline}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if horizon < 1:
        raise ValueError(f"the horizon must be at least 1 night, got {horizon}")
