"""The confidence interval of a drop that the change-point detector found: it allows for the choice of night and
onset.
"""

import math

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.alarm_quantiles import DROPS, HIGH, LEVELS, LOW

Floats = NDArray[np.float64]


def drop_found_by_evidence(
    drop: float, error: float, *, before: int, after: int, log_needed: float
) -> tuple[float, float]:
    """Return the smallest and the largest true drop that are consistent with an alarm of the evidence of a channel, at
    95 %.

    Formula:   all d with low(d) <= (drop - d) / error <= high(d), where that ratio is between low and high in 95 % of
               the alarms that a drop d raises; they depend on d in standard deviations of one night, error /
               sqrt(1 / before + 1 / after), and on the evidence that an alarm needs. Truths that are no drop are not
               conditioned on, since they seldom raise an alarm: high(0) is used for them.
    Range:     the first is below `drop`, the second not.
    Direction: positive is a drop, `drop` is above 0: the mean before the estimated onset less that since then.
    Shapes:    nights of both windows; `error` of `drop` as if its windows had been chosen beforehand; `log_needed`: the
               logarithm of the evidence that raises an alarm when this channel alone carries it.
    Empty:     a drop or an error of 0 or less raises ValueError.
    Smallest:  one night on each side.
    Source:    tests conditional on the selection, inverted: Fithian, Sun and Taylor, Optimal Inference After Model
               Selection (2014), https://arxiv.org/abs/1410.2597; after a sequential test: Siegmund, Biometrika 65
               (1978) 341-349.
    Differs:   low and high are simulated (`alarm_quantiles`), with the onset chosen as the evidence chooses it.

    >>> barely = drop_found_by_evidence(0.021, 0.0048, before=44, after=12, log_needed=8.3)
    >>> clearly = drop_found_by_evidence(0.1, 0.0152, before=44, after=1, log_needed=8.3)
    >>> [round(100 * end, 1) for end in (*barely, *clearly)]
    [-0.2, 3.5, 6.6, 13.5]
    """
    if drop <= 0.0 or error <= 0.0:
        raise ValueError(f"drop and error must be above 0, got {drop} and {error}")
    night = error / math.sqrt(1.0 / before + 1.0 / after)
    low, high = (_at(log_needed, rows) for rows in (np.array(LOW), np.array(HIGH)))
    ends = (-error * (1.0 + high[0]), max(drop, DROPS[-1] * night) + 10.0 * error)
    true = np.array([ends[0], *(np.array(DROPS) * night), ends[1]])
    too_large = drop - true - error * high[[0, *range(high.size), -1]]
    too_small = drop - true - error * low[[0, *range(low.size), -1]]
    return _first_zero(true, too_large), _first_zero(true[::-1], -too_small[::-1])


def _at(log_needed: float, rows: Floats) -> Floats:
    """Return the row for that evidence, by linear interpolation; beyond the outermost rows the outermost one."""
    return np.array([np.interp(log_needed, LEVELS, column) for column in rows.T])


def _first_zero(x: Floats, y: Floats) -> float:
    """Return where the polygon of y, positive at first, is 0 for the first time."""
    at = int(np.argmax(y <= 0.0))
    share = y[at - 1] / (y[at - 1] - y[at])
    return float(x[at - 1] + share * (x[at] - x[at - 1]))
