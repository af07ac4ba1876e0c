"""Nights differ for reasons that are nobody's regression: each z against the earlier ones of its channel."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.skewed_score import skewed_score

Floats = NDArray[np.float64]
FEWEST_EARLIER = 2  # a t distribution with fewer degrees of freedom says nothing
LARGEST = 37.0  # beyond it a double has no tail probability left
LAG = 7  # newest scores whose lean is not believed: the first nights of a change must not excuse it
FEWEST_FOR_LEAN = 5
WIDE = 0.05  # level of 'nights vary more than sampling'
LEANS = 2.0  # standard errors of 'nights lean to one side'


def studentise(z: Floats) -> Floats:
    """Scores that stay standard normal when all nights share an unknown extra spread, or lean to one side.

    Formula:   u_t = Phi^-1( F_v( z_t / sqrt(mean of the v earlier z^2) ) ), F_v the t distribution with v degrees;
               then, if all z but the last seven are wider than sampling allows (level 5 %) or skewed by two standard
               errors, the normal score of u_t under a gamma distribution with their skewness, where that is nearer to
               zero.
    Range:     standard normal and independent over nights if the z are independent N(0, s^2), whatever s, up to the
               correction, which only ever takes evidence away.
    Direction: that of z.
    Shapes:    z [T, C] float64, one column a channel; u [T, C].
    Empty:     NaN stays NaN and is skipped; NaN until two earlier nights are known.
    Smallest:  three known nights. Costs little from a dozen on.
    Source:    Student, Biometrika 6 (1908) 1-25; the self-starting use: Hawkins, The Statistician 36 (1987) 299-315.
    Differs:   the mean of z is known to be 0 under 'no change' and is not estimated. The lean is ours: a mood of the
               provider that can only make nearly perfect cases worse has a long tail on one side.

    >>> studentise(np.array([[1.0], [-1.0], [2.0]])).round(3).tolist()
    [[nan], [nan], [1.33]]
    """
    known = ~np.isnan(z)
    x = np.where(known, z, 0.0)
    earlier = _before(known.astype(np.float64))
    mean_square = _before(x**2) / np.maximum(earlier, 1.0)
    told = known & (earlier >= FEWEST_EARLIER) & (mean_square > 0.0)
    ratio = np.where(told, x, 0.0) / np.sqrt(np.where(told, mean_square, 1.0))
    u = np.where(told, normal_score_of_t(ratio, np.maximum(earlier, 1.0)), np.nan)
    lean = _lean(z, earlier)
    levelled = skewed_score(u, np.where(u * lean > 0.0, lean, 0.0))
    return np.where(np.abs(levelled) < np.abs(u), levelled, u)


def _before(values: Floats) -> Floats:
    """Sums over the nights before each."""
    total: Floats = np.cumsum(values, axis=0) - values
    return total


def _lean(z: Floats, earlier: Floats) -> Floats:
    """Skewness of all but the last `LAG` scores before each; 0 while they could be normal with sampling's spread."""
    from scipy.special import chdtri

    n = np.maximum(earlier - LAG, 0.0)
    square, cube = _sum_of_first(n, z, 2), _sum_of_first(n, z, 3)
    nights = np.maximum(n, 1.0)
    variance = np.where(square > 0.0, square / nights, 1.0)
    skewness = cube / nights / variance**1.5
    odd = (square > chdtri(nights, WIDE)) | (np.abs(skewness) > LEANS * np.sqrt(6.0 / nights))
    lean: Floats = np.where(odd & (n >= FEWEST_FOR_LEAN), skewness, 0.0)
    return lean


def _sum_of_first(n: Floats, z: Floats, power: int) -> Floats:
    """[T, C]: the sum of that power of a channel's first n known scores."""
    columns = []
    for wanted, scores in zip(n.T, z.T, strict=True):
        sums = np.concatenate([[0.0], np.cumsum(scores[~np.isnan(scores)] ** power)])
        columns.append(sums[wanted.astype(np.int64)])
    return np.stack(columns, axis=1) if columns else np.zeros_like(n)


def normal_score_of_t(t: Floats, degrees: Floats) -> Floats:
    """The normal score with the tail probability that `t` has under the t distribution: same sign, nearer to zero."""
    from scipy.special import ndtri, stdtr

    tail = np.maximum(stdtr(degrees, -np.abs(t)), 1e-300)
    score: Floats = np.minimum(-np.asarray(ndtri(tail), dtype=np.float64), LARGEST)
    return np.copysign(score, t)
