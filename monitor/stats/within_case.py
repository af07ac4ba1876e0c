"""The variance between the answers to one case: the noise of a version."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]


def within_case_variance(pooled: NightTally) -> Floats:
    """Return the unbiased variance of a single answer to each case; for pass or fail p (1 - p).

    Formula:   (mean of x^2 - (mean of x)^2) K / (K - 1) over the K samples of a case.
    Range:     [0, 0.5]; above the 0.25 of a fair coin for two samples that differ, since it is unbiased.
    Shapes:    tally of one row, n cases (`NightTally.pooled`); [n] float64.
    Empty:     NaN where a case has fewer than two samples.

    >>> nights = NightTally.of_passes(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, np.nan]]), np.ones((2, 3)))
    >>> within_case_variance(nights.pooled()).tolist()
    [0.5, 0.0, nan]
    """
    count = pooled.count[0]
    safe = np.maximum(count, 1.0)
    spread = np.maximum(pooled.second[0] / safe - (pooled.first[0] / safe) ** 2, 0.0)
    return np.where(count >= 2.0, spread * count / np.maximum(count - 1.0, 1.0), np.nan)
