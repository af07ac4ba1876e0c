"""Self-starting conformal z: compares each night with the nights so far, case by case."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monitor.stats.exact_tail import count_bounds
from monitor.stats.night_tally import NightTally
from monitor.stats.skewed_score import skewed_score

Floats = NDArray[np.float64]
SMALL_VARIANCE = 5.99999  # a channel of counts with less variance than this is worth its exact distribution; no round
# number, which variances like 24/4 hit but for the last digit: that must not depend on how a sum was ordered ...
MAX_EXACT = 96.0  # ... and as long as it has no more samples whose result is uncertain
NO_VARIANCE = 1e-12
_TINY = 1e-300  # probabilities below it have no normal score


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw:
    """`now` is, for each case and night, a draw without replacement from `everything`, which includes it."""

    now: NightTally
    everything: NightTally


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """`z` and its expected square over ties, arrays [T, C].

    A night whose outcome was certain has no z, but its square is 1, that of a standard normal score. The first surprise
    is measured by it.
    """

    z: Floats
    square: Floats

    @classmethod
    def of(cls, z: Floats) -> Self:
        """Return scores without ties."""
        return cls(z=z, square=z * z)

    def __neg__(self) -> "Scores":
        return Scores(z=-self.z, square=self.square)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseCumulants:
    """The cumulants of the sum of each case in a night, given all its samples so far, that night included: arrays [T,
    n].
    """

    mean: Floats
    variance: Floats
    third: Floats  # third cumulant

    def of_channel(self, members: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same three of sums over cases: members [n, C] of 0 and 1 give arrays [T, C]."""
        return self.mean @ members, self.variance @ members, self.third @ members


def case_cumulants(draw: Draw) -> CaseCumulants:
    """Return mean, variance and third cumulant of a draw without replacement of a night's samples from all samples so
    far.

    Formula:   with m of K samples drawn, and M, s2, m3 the mean, variance and third central moment of the K:
               mean m M, variance m (K - m) / (K - 1) s2, third m (K - m)(K - 2m) / ((K - 1)(K - 2)) m3.
               For pass or fail these are the hypergeometric ones.
    Source:    finite population sampling: Cochran, Sampling Techniques (1977), theorem 2.2; Wishart, Proc R Soc Edinb
               A 63 (1952).
    """
    now, everything = draw.now, draw.everything
    size, drawn = everything.count, now.count
    safe = np.maximum(size, 1.0)
    centre = everything.first / safe
    spread = np.maximum(everything.second / safe - centre**2, 0.0)
    lean = everything.third / safe - 3.0 * centre * everything.second / safe + 2.0 * centre**3
    left = drawn * (size - drawn)
    return CaseCumulants(
        mean=drawn * centre,
        variance=left * spread / np.maximum(size - 1.0, 1.0),
        third=left * (size - 2.0 * drawn) * lean / np.maximum((size - 1.0) * (size - 2.0), 1.0),
    )


def running_totals(tally: NightTally) -> NightTally:
    """Return all samples up to and including each night."""
    first = tally.first.cumsum(axis=0)
    count = tally.count.cumsum(axis=0)
    if tally.binary:
        return NightTally(count=count, first=first, second=first, third=first)
    return NightTally(count=count, first=first, second=tally.second.cumsum(axis=0), third=tally.third.cumsum(axis=0))


def conformal_scores(tally: NightTally, members: Floats) -> Scores:
    """Return standard normal scores of the channels of a set, one per night, independent for any pass rates, n, k or
    history.

    Formula:   given each case's samples over nights 1..t, tonight's are a draw without replacement from them, as long
               as the version is the same. z_t is the expected normal score of the channel's sum under that
               distribution, over the ties of equal sums: exact by convolution for a small channel of counts, by the
               Wilson-Hilferty transform with its exact first three cumulants otherwise.
    Range:     under 'no change' z has mean 0 and is no wider than standard normal, and independent over nights (each
               conditions on the totals only); `square` has mean 1. Since z is the mean of a randomised score that is
               standard normal, E[exp(m z - m^2 / 2)] <= 1 for every m (Jensen): evidence built of z stays valid.
    Direction: negative is fewer passes tonight than on the nights before.
    Shapes:    tally of T nights and n cases; members [n, C] of 0 and 1; z and square [T, C] float64.
    Empty:     z is NaN where nothing is uncertain: the first night of every case, or a channel that always or never
               passes. `square` is 1 on such a night when a case has samples in it and before, NaN otherwise.
    Smallest:  one case and two nights.
    Source:    Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005), chapters 2 and 7; Hawkins,
               The Statistician 36 (1987) 299-315; Wilson and Hilferty, PNAS 17 (1931) 684-688.
    Differs:   conditions case by case; ties are averaged over instead of broken at random, so that no verdict rests on
               a draw; graded scores have no exact branch.

    >>> tally = NightTally.of_passes(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]), np.ones((3, 2)))
    >>> scores = conformal_scores(tally, np.ones((2, 1)))
    >>> scores.z.round(2).tolist(), scores.square.round(2).tolist()
    ([[nan], [nan], [-1.09]], [[nan], [1.0], [1.47]])
    """
    return scores_of_draw(running_draw(tally), members)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawCumulants:
    """A draw with the cumulants of its cases."""

    draw: Draw
    cumulants: CaseCumulants


def running_draw(tally: NightTally) -> DrawCumulants:
    """Return each night as a draw from all samples up to and including it."""
    draw = Draw(now=tally, everything=running_totals(tally))
    return DrawCumulants(draw=draw, cumulants=case_cumulants(draw))


def channel_scores(draw: Draw, members: Floats) -> Scores:
    """Return the scores of `conformal_scores` for any draw, row by row: arrays [T, C]."""
    return scores_of_draw(DrawCumulants(draw=draw, cumulants=case_cumulants(draw)), members)


def scores_of_draw(drawn: DrawCumulants, members: Floats) -> Scores:
    """Return the same for a draw whose cumulants are known."""
    # 1. The exact cumulants of each case under 'no change', summed over the cases of a channel.
    draw, cumulants = drawn.draw, drawn.cumulants
    mean, variance, third = cumulants.of_channel(members)
    # 2. The normal score of the channel's sum.
    z = skewed_z(draw.now.first @ members - mean, variance, third)
    square = z * z
    if draw.now.binary:
        uncertain = np.where(cumulants.variance > NO_VARIANCE, draw.now.count, 0.0)
        # 3. A small channel of counts gets its exact distribution instead.
        small = (variance > NO_VARIANCE) & (variance < SMALL_VARIANCE) & (uncertain @ members <= MAX_EXACT)
        for channel in range(members.shape[1]):
            rows = np.flatnonzero(small[:, channel])
            if rows.size:
                bounds = _exact_bounds(draw, uncertain, members[:, channel], rows)
                z[rows, channel], square[rows, channel] = expected_score(*bounds)
    # 4. A night whose result was certain has the square 1, see `Scores`.
    certain = np.isnan(z) & has_repeats(draw.now, draw.everything, members)
    return Scores(z=z, square=np.where(certain, 1.0, square))


def has_repeats(now: NightTally, everything: NightTally, members: Floats) -> NDArray[np.bool_]:
    """Return [T, C]: whether any case of the channel has samples in this night and before."""
    repeated = (now.count > 0) & (everything.count > now.count)
    sampled: NDArray[np.bool_] = repeated.astype(np.float64) @ members > 0
    return sampled


def skewed_z(deviation: Floats, variance: Floats, third: Floats) -> Floats:
    """Return the normal score of a deviation with the given variance and third cumulant; NaN where the variance is
    0.
    """
    known = variance > NO_VARIANCE
    sd = np.sqrt(np.where(known, variance, 1.0))
    return np.where(known, skewed_score(deviation / sd, third / sd**3), np.nan)


def _exact_bounds(
    draw: Draw, uncertain: Floats, members: Floats, rows: NDArray[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """Return P(below), P(at) and P(above) of the count of one channel on some nights; certain cases are left out."""
    cases = np.flatnonzero((members > 0) & (uncertain[rows] > 0).any(axis=0))
    at = np.ix_(rows, cases)
    live = uncertain[at] > 0
    return count_bounds(
        np.where(live, draw.now.first[at], 0.0).sum(axis=1),
        np.where(live, draw.now.count[at], 0.0),
        np.where(live, draw.everything.first[at], 0.0),
        np.where(live, draw.everything.count[at], 0.0),
    )


def expected_score(below: Floats, equal: Floats, above: Floats) -> tuple[Floats, Floats]:
    """Return mean and mean square of a standard normal score between two quantiles.

    Formula:   with a = Phi^-1(below), b = Phi^-1(below + equal) and density phi: (phi(a) - phi(b)) / equal and
               1 + (a phi(a) - b phi(b)) / equal, the moments of a truncated normal distribution.
    Shapes:    three arrays of probabilities that add up to 1, `equal` above 0; two arrays out.
    Source:    Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1 (1994), section 10.1.

    >>> mean, square = expected_score(np.array([0.5]), np.array([0.5]), np.array([0.0]))
    >>> round(float(mean[0]), 3), round(float(square[0]), 3)
    (0.798, 1.0)
    """
    from scipy.special import ndtri

    def quantile(p: Floats, rest: Floats) -> Floats:  # from the smaller tail, which keeps its accuracy
        tail = np.asarray(ndtri(np.clip(np.minimum(p, rest), _TINY, 0.5)), dtype=np.float64)
        return np.where(p <= rest, tail, -tail)

    low, high = quantile(below, equal + above), quantile(below + equal, above)
    at_low, at_high = _density(low), _density(high)
    safe = np.maximum(equal, _TINY)
    mean = np.clip((at_low - at_high) / safe, low, high)
    return mean, np.maximum(1.0 + (low * at_low - high * at_high) / safe, mean * mean)


def _density(x: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    return density
