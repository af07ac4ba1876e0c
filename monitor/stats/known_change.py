"""Two stretches of nights, before and after a known change: is the difference more than nights and samples explain?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Draw, channel_z, conformal_z
from monitor.stats.night_tally import NightTally
from monitor.stats.studentise import normal_score_of_t

Floats = NDArray[np.float64]
PRIOR_NIGHTS = 20.0  # how many nights the expectation 'nights differ by sampling alone' is worth in a test ...
SURPRISE = 0.8  # ... until the nights seen are wider than this quantile allows
INTERVAL_NIGHTS = 10.0  # what it is worth in an interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NightSpread:
    """Per channel, arrays [C]: `square` is the mean square of the nights' scores, 1 when nights differ by sampling
    alone, more when they share other causes; `nights` is how many nights that rests on.
    """

    square: Floats
    nights: Floats


def night_spread(before: NightTally, after: NightTally, members: Floats) -> NightSpread:
    """How much wider than sampling the nights of two stretches vary, each stretch around its own level."""
    scores = [conformal_z(each, members, _even_ties(each.nights, members.shape[1])) for each in (before, after)]
    z = np.concatenate(scores)
    nights = (~np.isnan(z)).sum(axis=0).astype(np.float64)
    return NightSpread(square=np.nansum(z * z, axis=0) / np.maximum(nights, 1.0), nights=nights)


def _even_ties(nights: int, channels: int) -> Floats:
    """[T, C] in (0, 1), evenly spread: ties broken in the middle would make small channels look too steady."""
    steps: Floats = np.arange(1, nights + 1) * (np.sqrt(5.0) - 1.0) / 2.0 % 1.0  # multiples of the golden ratio
    return np.repeat(steps[:, None], channels, axis=1)


def settled(spread: NightSpread) -> NightSpread:
    """The spread to divide by: pulled towards 1 while the nights seen do not speak against it."""
    from scipy.special import chdtri

    degrees = np.maximum(spread.nights, 1.0)
    expected = spread.square * degrees <= chdtri(degrees, 1.0 - SURPRISE)
    prior = np.where(expected, PRIOR_NIGHTS, 0.0)
    nights = spread.nights + prior
    square = np.where(nights > 0, (spread.square * spread.nights + prior) / np.maximum(nights, 1.0), 1.0)
    return NightSpread(square=square, nights=nights)


def interval_spread(before: NightTally, after: NightTally, members: Floats) -> Floats:
    """[C]: what an interval's variance is multiplied by: at least 1, nights vary no less than sampling makes them."""
    seen = night_spread(before, after, members)
    pulled = (seen.square * seen.nights + INTERVAL_NIGHTS) / (seen.nights + INTERVAL_NIGHTS)
    spread: Floats = np.maximum(pulled, 1.0)
    return spread


def known_change_z(before: NightTally, after: NightTally, members: Floats, uniforms: Floats) -> Floats:
    """One standard normal score a channel: did the cases pass less often after the change than before it?

    Formula:   given all samples of a case from both stretches, those after the change are a draw without replacement;
               z is the normal score of a channel's sum (as in `conformal_z`), over the spread of the nights' own
               scores, with the t distribution's tail. The spread is pulled towards sampling alone, worth 20 nights,
               as long as the nights seen stay below the 80 % point of chi-square.
    Range:     standard normal under 'every case passes as often as before'. A version that answers other cases right,
               as many as before, gives smaller scores: the pooled variance is too large for it.
    Direction: negative is worse after the change.
    Shapes:    tallies of the same n cases; members [n, C]; uniforms [C] in (0, 1), 0.5 for a mid-p score; z [C].
    Empty:     NaN where no case of the channel has samples on both sides, or nothing is uncertain.
    Smallest:  one night on each side; trust the spread from a dozen nights on.
    Source:    Mantel, J Am Stat Assoc 58 (1963) 690-700 (conditional on each case's margin); Student, Biometrika 6
               (1908).
    Differs:   randomised, studentised by nights.

    >>> before = NightTally.of_passes(np.tile([1.0, 1.0, 1.0, 0.0], (9, 1)), np.ones((9, 4)))
    >>> after = NightTally.of_passes(np.array([[0.0, 0.0, 1.0, 0.0]]), np.ones((1, 4)))
    >>> known_change_z(before, after, np.ones((4, 1)), np.array([0.5])).round(1).tolist()
    [-2.4]
    """
    then, now = before.pooled(), after.pooled()
    z = channel_z(Draw(now=now, everything=then + now), members, uniforms[None, :])[0]
    spread = settled(night_spread(before, after, members))
    return np.where(np.isnan(z), z, normal_score_of_t(z / np.sqrt(spread.square), np.maximum(spread.nights, 1.0)))
