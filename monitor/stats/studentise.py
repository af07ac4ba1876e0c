"""Divides each score by the spread of the earlier scores of its channel, because nights vary for other reasons too."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Scores
from monitor.stats.skewed_score import skewed_score

Floats = NDArray[np.float64]
MIN_EARLIER = 2  # a t distribution with fewer degrees of freedom has no information
LARGEST = 37.0  # beyond it a double has no tail probability left
LARGEST_SQUARE = 9.0  # in mean squares: what a single night adds at most to what later nights are measured by ...
MIN_TO_BOUND = 7  # ... once this many nights are known
LAG = 7  # newest scores whose width and lean are not believed: the first nights of a change must not excuse it
MIN_FOR_SHAPE = 5
WIDE = 0.1  # level of 'nights vary more than sampling'
HEAVY_DEGREES = 20.0  # of the t distribution where they do: what moves nights need not be normal


def studentise(
    scores: Scores, earlier: Scores | None = None, *, sampled: bool = True, shares: Floats | None = None
) -> Floats:
    """Return scores that stay standard normal when all nights share an unknown extra spread, or are skewed.

    Formula:   u_t = Phi^-1( F_v( z_t / sqrt(mean of the v earlier squares) ) ), F_v the t distribution with v degrees.
               A square counts at most nine times the mean before it, so that a fall does not enlarge the spread of
               the nights after it. Where all scores but the last seven are wider than sampling allows (level 10 %), v
               is at most 20, and u_t is the normal score under a gamma distribution with their skewness where that is
               nearer to zero.
    Range:     standard normal and independent over nights if the z are independent N(0, s^2), whatever s, up to the
               corrections, which only ever take evidence away.
    Direction: that of z.
    Shapes:    scores [T, C], one column a channel; `earlier` [S, C] are scores of nights before them that measure how
               much nights vary, and are not returned; `sampled` means that sampling alone gives z the spread 1, so that
               wider nights can be recognised (ranks have no such scale); `shares` [C]; u [T, C].
    Empty:     NaN stays NaN; NaN until two earlier squares are known.
    Smallest:  three known nights. Costs little from a dozen on.
    Source:    Student, Biometrika 6 (1908) 1-25; the self-starting use: Hawkins, The Statistician 36 (1987) 299-315.
    Differs:   the mean of z is known to be 0 under 'no change' and is not estimated. The bound, the shares and the lean
               are ours: a mood that can only make nearly perfect cases worse has a long tail on one side.

    >>> z = np.array([[1.0], [-1.0], [2.0]])
    >>> studentise(Scores(z=z, square=z * z)).round(3).tolist()
    [[nan], [nan], [1.33]]
    """
    if earlier is not None:
        whole = Scores(z=np.concatenate([earlier.z, scores.z]), square=np.concatenate([earlier.square, scores.square]))
        return studentise(whole, sampled=sampled, shares=shares)[len(earlier.z) :]
    # 1. The spread and the shape of the nights before each night.
    spread, shape = earlier_spread(scores.square, sampled=sampled), _earlier_shape(scores.z)
    mean_square = spread.mean_square if shares is None else _at_least_shared(spread.mean_square, shares)
    # 2. Divide by the spread; two earlier nights are needed.
    known = ~np.isnan(scores.z) & (spread.nights >= MIN_EARLIER) & (mean_square > 0.0)
    ratio = np.where(known, scores.z, 0.0) / np.sqrt(np.where(known, mean_square, 1.0))
    # 3. Keep heavy tails where nights vary more than sampling allows.
    wide = (shape.wide if shares is None else shape.wide | shape.wide[:, :1]) & sampled
    degrees = np.where(wide, np.minimum(spread.nights, HEAVY_DEGREES), spread.nights)
    u = normal_score_of_t(ratio, np.maximum(degrees, 1.0))
    # 4. Correct the skewness of wide nights, but never towards more evidence.
    levelled = skewed_score(u, np.where(wide & (u * shape.skewness > 0.0), shape.skewness, 0.0))
    return np.where(known, np.where(np.abs(levelled) < np.abs(u), levelled, u), np.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierSpread:
    """The spread of the nights before each night: arrays [T, C]."""

    mean_square: Floats
    nights: Floats


def earlier_spread(square: Floats, *, sampled: bool = True) -> EarlierSpread:
    """Return the mean square of the nights before each night. A night counts at most nine times the mean before it.

    For sampled scores a mean below 1 counts as 1 in that bound.
    """
    least = 1.0 if sampled else 0.0
    total, nights = np.zeros(square.shape[1]), np.zeros(square.shape[1])
    mean_square, counts = np.empty_like(square), np.empty_like(square)
    known = ~np.isnan(square)
    filled = np.where(known, square, 0.0)
    for t in range(square.shape[0]):
        mean = total / np.maximum(nights, 1.0)
        mean_square[t], counts[t] = mean, nights
        bound = np.where(nights >= MIN_TO_BOUND, LARGEST_SQUARE * np.maximum(mean, least), np.inf)
        total = total + np.minimum(filled[t], bound)
        nights = nights + known[t]
    return EarlierSpread(mean_square=mean_square, nights=counts)


def _at_least_shared(mean_square: Floats, shares: Floats) -> Floats:
    least = 1.0 + np.maximum(mean_square[:, :1] - 1.0, 0.0) * shares
    least[:, 0] = 0.0
    floored: Floats = np.maximum(mean_square, least)
    return floored


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shape:
    """Whether all but the last `LAG` earlier nights are wider than sampling, and their skewness."""

    wide: NDArray[np.bool_]
    skewness: Floats


def _earlier_shape(z: Floats) -> _Shape:
    from scipy.special import chdtri

    known = ~np.isnan(z)
    x = np.where(known, z, 0.0)
    count, square, cube = (_until(values, LAG) for values in (known.astype(np.float64), x**2, x**3))
    nights = np.maximum(count, 1.0)
    variance = np.where(square > 0.0, square / nights, 1.0)
    wide = (square > chdtri(nights, WIDE)) & (count >= MIN_FOR_SHAPE)
    return _Shape(wide=wide, skewness=cube / nights / variance**1.5)


def _until(values: Floats, lag: int) -> Floats:
    """Return sums over the nights before each night, without the last `lag` of them."""
    sums = np.concatenate([np.zeros((lag + 1, values.shape[1])), np.cumsum(values, axis=0)])
    return sums[: values.shape[0]]


def normal_score_of_t(t: Floats, degrees: Floats) -> Floats:
    """Return the normal score with the tail probability of `t` under the t distribution: same sign, nearer to zero."""
    from scipy.special import ndtri, stdtr

    tail = np.maximum(stdtr(degrees, -np.abs(t)), 1e-300)
    score: Floats = np.minimum(-np.asarray(ndtri(tail), dtype=np.float64), LARGEST)
    return np.copysign(score, t)
