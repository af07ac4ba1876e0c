"""Wilson's confidence interval of a share."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.normal import normal_quantile

Floats = NDArray[np.float64]


def wilson(share: Floats | float, n: NDArray[np.int64] | int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return both ends of Wilson's score interval for a share of n trials, element by element.

    Range:     within [0, 1], never empty, also at a share of 0 or 1.
    Empty:     n = 0 is taken for 1: no data is no share, so ask before.
    Source:    Wilson, J Am Stat Assoc 22 (1927) 209-212; Brown, Cai and DasGupta, Stat Sci 16 (2001) 101-133.
    Differs:   in nothing. For shares of graded scores it is too wide.

    >>> low, high = wilson(0.944, 125)
    >>> round(float(low), 3), round(float(high), 3)
    (0.889, 0.973)
    """
    z = normal_quantile(0.5 + level / 2.0)
    share, size = np.asarray(share, dtype=np.float64), np.maximum(np.asarray(n), 1)
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + z * z / (4.0 * size * size))
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return np.where(share == 0.0, 0.0, low), np.where(share == 1.0, 1.0, high)
