"""Tests the nights before and after an announced change: is the difference more than nights and samples explain?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Draw, channel_scores, conformal_scores
from monitor.stats.night_tally import NightTally
from monitor.stats.studentise import normal_score_of_t
from monitor.stats.two_versions.own_noise import own_noise

Floats = NDArray[np.float64]
PRIOR_NIGHTS = 20.0  # how many nights the expectation 'nights differ by sampling alone' is worth in a test ...
SURPRISE = 0.8  # ... until the nights seen are wider than this quantile allows
INTERVAL_NIGHTS = 10.0  # what it is worth in an interval
LARGEST_SQUARE = 9.0  # in the typical squares of the nights before: what one night adds at most to the spread
MEDIAN_SQUARE = 0.455  # of a standard normal score


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NightSpread:
    """The spread of the nights per channel, arrays [C].

    `square` is the mean square of the scores of the nights: 1 when nights differ by sampling alone, more when they
    share other causes. `nights` is the number of nights that it was estimated from.
    """

    square: Floats
    nights: Floats


def night_spread(before: NightTally, after: NightTally, members: Floats) -> NightSpread:
    """Return how much wider than sampling the nights of two windows vary, each window around its own level.

    A night counts at most nine times what is typical before the change, and the last night does not count: a fall must
    not enlarge the spread that it is divided by.
    """
    then = conformal_scores(before, members).square
    now = conformal_scores(after.between(0, after.nights - 1), members).square if after.nights > 1 else then[:0]
    return spread_of_squares(then, now)


def spread_of_squares(then: Floats, now: Floats) -> NightSpread:
    """Return the same from the squares of the scores: of the nights before, and of those after without the last."""
    bound = LARGEST_SQUARE * np.maximum(_median(then) / MEDIAN_SQUARE, 1.0)
    square = np.minimum(np.concatenate([then, now]), bound)
    nights = (~np.isnan(square)).sum(axis=0).astype(np.float64)
    return NightSpread(square=np.nansum(square, axis=0) / np.maximum(nights, 1.0), nights=nights)


def _median(square: Floats) -> Floats:
    """Return [C]; 0 where no night is known."""
    known = (~np.isnan(square)).any(axis=0)
    median: Floats = np.zeros(square.shape[1])
    if known.any():
        median[known] = np.nanmedian(square[:, known], axis=0)
    return median


def shrunk_spread(spread: NightSpread) -> NightSpread:
    """Return the spread to divide by: shrunk towards 1 while the nights do not contradict that."""
    from scipy.special import chdtri

    degrees = np.maximum(spread.nights, 1.0)
    expected = spread.square * degrees <= chdtri(degrees, 1.0 - SURPRISE)
    prior = np.where(expected, PRIOR_NIGHTS, 0.0)
    nights = spread.nights + prior
    square = np.where(nights > 0, (spread.square * spread.nights + prior) / np.maximum(nights, 1.0), 1.0)
    return NightSpread(square=square, nights=nights)


def interval_spread(before: NightTally, after: NightTally, members: Floats) -> Floats:
    """Return [C]: the factor of the variance of an interval, at least 1, since nights vary no less than sampling."""
    return interval_factor(night_spread(before, after, members))


def interval_factor(spread_seen: NightSpread) -> Floats:
    """Return the same from the spread of the nights."""
    pulled = (spread_seen.square * spread_seen.nights + INTERVAL_NIGHTS) / (spread_seen.nights + INTERVAL_NIGHTS)
    spread: Floats = np.maximum(pulled, 1.0)
    return spread


def known_change_z(
    before: NightTally,
    after: NightTally,
    members: Floats,
    repeats: NightTally | None = None,
    nights: NightSpread | None = None,
) -> Floats:
    """Return one standard normal score per channel: did the cases pass less often after the change than before it?

    Formula:   given all samples of a case from both stretches, those after the change are a draw without replacement;
               z is the normal score of a channel's sum (as in `conformal_scores`), over the root of how much noisier
               than one common version the two are (`own_noise`), over the spread of the nights' own scores, with the t
               distribution's tail. The spread is pulled towards sampling alone, worth 20 nights, as long as the nights
               seen stay below the 80 % point of chi-square.
    Range:     about standard normal under 'the channel passes as often as before', also when the new version answers
               other cases right or varies more by itself; on the first night of single answers see `own_noise`.
    Direction: negative is worse after the change.
    Shapes:    tallies of the same n cases; members [n, C], overall first; `repeats` the repeated answers of the nights
               after the change; `nights` their `night_spread` where the caller has it; z [C].
    Empty:     NaN where no case of the channel has samples on both sides, or nothing is uncertain.
    Smallest:  one night on each side; trust the spread from a dozen nights on.
    Source:    Mantel, J Am Stat Assoc 58 (1963) 690-700 (conditional on each case's margin); Student, Biometrika 6
               (1908); Welch, Biometrika 34 (1947) 28-35 for variances of their own.
    Differs:   studentised by nights and by noise; ties are averaged over.

    >>> before = NightTally.of_passes(np.tile([1.0, 1.0, 1.0, 0.0], (9, 1)), np.ones((9, 4)))
    >>> after = NightTally.of_passes(np.array([[0.0, 0.0, 1.0, 0.0]]), np.ones((1, 4)))
    >>> known_change_z(before, after, np.ones((4, 1))).round(1).tolist()
    [-1.7]
    """
    # 1. Score the samples after the change as a draw from all samples of both windows.
    then, now = before.pooled(), after.pooled()
    z = channel_scores(Draw(now=now, everything=then + now), members).z[0]
    # 2. The spread between nights, and the own noise of both versions.
    spread = shrunk_spread(night_spread(before, after, members) if nights is None else nights)
    noise = own_noise(then, now, members, None if repeats is None else repeats.pooled())
    # 3. Divide by both, with the combined degrees of freedom.
    degrees = 1.0 / (1.0 / np.maximum(spread.nights, 1.0) + 1.0 / noise.degrees)
    return np.where(np.isnan(z), z, normal_score_of_t(z / np.sqrt(spread.square * noise.ratio), degrees))
