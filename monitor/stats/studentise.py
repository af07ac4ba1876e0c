"""Nights differ for reasons that are nobody's regression: each z against the earlier ones of its channel."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEWEST_EARLIER = 2  # a t distribution with fewer degrees of freedom says nothing
LARGEST = 37.0  # beyond it a double has no tail probability left


def studentise(z: Floats) -> Floats:
    """Scores that stay standard normal when all nights share an unknown extra spread.

    Formula:   u_t = Phi^-1( F_v( z_t / sqrt(mean of the v earlier z^2) ) ), F_v the t distribution with v degrees.
    Range:     standard normal and independent over nights if the z are independent N(0, s^2), whatever s.
    Direction: that of z.
    Shapes:    z [T, C] float64, one column a channel; u [T, C].
    Empty:     NaN stays NaN and is skipped; NaN until two earlier nights are known.
    Smallest:  three known nights. Costs little from a dozen on.
    Source:    Student, Biometrika 6 (1908) 1-25; the self-starting use: Hawkins, The Statistician 36 (1987) 299-315.
    Differs:   the mean of z is known to be 0 under 'no change' and is not estimated.

    >>> studentise(np.array([[1.0], [-1.0], [2.0]])).round(3).tolist()
    [[nan], [nan], [1.33]]
    """
    square = np.where(np.isnan(z), 0.0, z * z)
    earlier = np.cumsum(~np.isnan(z), axis=0) - ~np.isnan(z)
    mean_square = (np.cumsum(square, axis=0) - square) / np.maximum(earlier, 1)
    known = (earlier >= FEWEST_EARLIER) & (mean_square > 0.0) & ~np.isnan(z)
    ratio = np.where(known, z, 0.0) / np.sqrt(np.where(known, mean_square, 1.0))
    return np.where(known, normal_score_of_t(ratio, np.maximum(earlier, 1).astype(np.float64)), np.nan)


def normal_score_of_t(t: Floats, degrees: Floats) -> Floats:
    """The normal score with the tail probability that `t` has under the t distribution: same sign, nearer to zero."""
    from scipy.special import ndtri, stdtr

    tail = np.maximum(stdtr(degrees, -np.abs(t)), 1e-300)
    score: Floats = np.minimum(-np.asarray(ndtri(tail), dtype=np.float64), LARGEST)
    return np.copysign(score, t)
