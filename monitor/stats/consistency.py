"""Whether a version answers the same case more or less consistently than the version before it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.domain.finding import Interval
from monitor.stats.night_tally import NightTally
from monitor.stats.noise_floor import noise_floor
from monitor.stats.studentise import normal_score_of_t
from monitor.stats.within_case import within_case_variance

Floats = NDArray[np.float64]
Pairs = Literal["one_night", "nights"]
MIN_CASES = 20
MIN_DIFFERENT = 10.0  # cases that show two different answers, as expected of both sides together

UNSEEN = 0.5  # the least sum of squares of the case differences: cases that all moved alike are not certain


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyChange:
    """The change. `before` and `after` are how often two answers to one case differ, `delta` is after minus before with
    its 95 % interval. `pairs` names the answers that were compared. `z` is a standard normal score, positive when
    answers differ more often than before. `n` is the number of cases.
    """

    n: int  # cases
    pairs: Pairs
    before: float
    after: float
    delta: float
    interval: Interval
    z: float


def consistency_change(
    before: NightTally,
    after: NightTally,
    before_repeats: NightTally | None = None,
    after_repeats: NightTally | None = None,
) -> ConsistencyChange | None:
    """Return how often two answers to one case differ, before and after a change; None when too few cases can show it.

    Formula:   per case and side d = 2 s (K - s) / (K (K - 1)), s passes of K samples: the share of its pairs of samples
               that differ, unbiased for 2 p (1 - p). delta = mean over cases of d_after - d_before. Pairs are either
               those of one night, repeats among them (sums over nights), or those of the ordinary samples of all
               nights; the first when they have at least half as many samples. delta +/- t_v sqrt(V), V = var(d_after -
               d_before) / n + g^2 tau^2 (1 / T_before + 1 / T_after), v by Satterthwaite. tau^2: how much the
               disagreement of whole nights varies beyond sampling (`noise_floor` of each night's disagreement with the
               others), a night being in every pair of its samples (g = 1) or, between nights, at both ends (g = 2).
    Range:     delta and its interval in [-1, 1]; d can be below 2 p (1 - p) by chance and never below 0.
    Direction: positive is less consistent.
    Shapes:    tallies of the same n cases; `repeats` are the repeats of the same nights.
    Empty:     cases without a pair on both sides are left out. Graded scores have no disagreement: None.
    Smallest:  20 cases, of which 10 are expected to show two different answers.
    Source:    U-statistic of order 2: Hoeffding, Ann Math Statist 19 (1948) 293-325; errors clustered by case and by
               night: Cameron, Gelbach and Miller, J Bus Econ Stat 29 (2011) 238-249; Satterthwaite, Biometrics Bull 2
               (1946) 110-114.
    Differs:   the nights' part comes from both sides together, since a new version has few nights: their moods are
               taken as spread alike on both sides. Then what moods add to pairs of different nights (2 var of a case's
               mood, 0.02 points for a mood of one point) is the same on both sides and cancels in delta.

    >>> steady, moody = np.tile([10.0, 0.0], (1, 40)), np.tile([8.0, 1.0], (1, 40))
    >>> change = consistency_change(*(NightTally.of_passes(s, np.full((1, 80), 10.0)) for s in (steady, moody)))
    >>> change.pairs, change.before, round(change.after, 3)
    ('one_night', 0.0, 0.278)
    """
    if not (before.binary and after.binary):
        return None
    within_nights = [
        _one_night(pairs_of_version, repeats)
        for pairs_of_version, repeats in ((before, before_repeats), (after, after_repeats))
    ]
    between_nights = [_nights(pairs_of_version) for pairs_of_version in (before, after)]
    within_degrees, between_degrees = _degrees(*within_nights), _degrees(*between_nights)
    return (
        _change(*within_nights, pairs="one_night")
        if 2.0 * within_degrees >= between_degrees
        else _change(*between_nights, pairs="nights")
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _VersionPairs:
    """The pairs of answers of one version.

    - `rates` [n]: the disagreement of each case, NaN without a pair.
    - `degrees` [n]: the number of its samples minus one.
    - `cells` [T, n]: the disagreement of each night, NaN without one.
    - `reach`: how much of the deviation of a night reaches the mean, times the number of nights.
    """

    rates: Floats
    degrees: Floats
    cells: Floats
    reach: float

    @property
    def nights(self) -> int:
        return int((~np.isnan(self.cells)).any(axis=1).sum())

    def night_spread(self) -> "_NightSpread | None":
        """Return the variance between nights; None when the nights are too few.

        Between nights, each night is also a part of what the others are compared with, which takes 1 / (T - 1) off its
        deviation.
        """
        shared = self.reach - 1.0
        degrees = self.nights - 1.0 - shared
        if degrees < 1.0:
            return None
        variance = noise_floor(self.cells[..., None]).night_variance
        if variance is None:
            return None
        kept = 1.0 - shared / (self.nights - 1.0)
        return _NightSpread(variance=variance / kept**2, degrees=degrees)


@dataclass(frozen=True, slots=True, kw_only=True)
class _NightSpread:
    """Variance of the disagreement of whole nights beyond sampling."""

    variance: float
    degrees: float


def _one_night(tally: NightTally, repeats: NightTally | None) -> _VersionPairs:
    """Pairs of samples of one night."""
    sampled = tally if repeats is None else tally + repeats
    k, s = sampled.count, sampled.first
    paired = k >= 2
    cells = np.where(paired, 2.0 * s * (k - s) / np.maximum(k * (k - 1.0), 1.0), np.nan)
    degrees = np.where(paired, k - 1.0, 0.0)
    total = degrees.sum(axis=0)
    sums = np.where(paired, cells * degrees, 0.0).sum(axis=0)
    rates = np.where(total > 0, sums / np.maximum(total, 1.0), np.nan)
    return _VersionPairs(rates=rates, degrees=total, cells=cells, reach=1.0)


def _nights(tally: NightTally) -> _VersionPairs:
    """Return the pairs of the samples of all nights, for cases with samples in at least two nights."""
    count, passes = tally.count.sum(axis=0), tally.first.sum(axis=0)
    cases_asked = (tally.count > 0).sum(axis=0) >= 2
    rates = np.where(cases_asked, 2.0 * within_case_variance(tally.pooled()), np.nan)
    own_rate = tally.first / np.maximum(tally.count, 1.0)
    other_rate = (passes - tally.first) / np.maximum(count - tally.count, 1.0)
    cells = np.where(
        (tally.count > 0) & cases_asked, own_rate * (1.0 - other_rate) + (1.0 - own_rate) * other_rate, np.nan
    )
    return _VersionPairs(rates=rates, degrees=np.where(cases_asked, count - 1.0, 0.0), cells=cells, reach=2.0)


def _degrees(before: _VersionPairs, after: _VersionPairs) -> float:
    """Return the number of samples of the weaker version of each case, summed over cases."""
    return float(np.minimum(before.degrees, after.degrees).sum())


def _change(before: _VersionPairs, after: _VersionPairs, *, pairs: Pairs) -> ConsistencyChange | None:
    from scipy.special import stdtrit

    kept = (before.degrees > 0) & (after.degrees > 0)
    n = int(kept.sum())
    if n < MIN_CASES:
        return None
    then, now = before.rates[kept], after.rates[kept]
    if n * (then.mean() + now.mean()) / 2.0 < MIN_DIFFERENT:
        return None
    delta = float(now.mean() - then.mean())
    of_cases = max(float(((now - then - delta) ** 2).sum()), UNSEEN) / (n * (n - 1.0))
    of_nights, nights = _night_variance(before, after)
    variance = of_cases + of_nights
    degrees = variance**2 / (of_cases**2 / (n - 1.0) + of_nights**2 / max(nights, 1.0))
    error = variance**0.5
    half = float(stdtrit(degrees, 0.975)) * error
    score = normal_score_of_t(np.array([delta / error]), np.array([degrees]))
    return ConsistencyChange(
        n=n,
        pairs=pairs,
        before=float(then.mean()),
        after=float(now.mean()),
        delta=delta,
        interval=Interval(low=max(-1.0, delta - half), high=min(1.0, delta + half)),
        z=float(score[0]),
    )


def _night_variance(before: _VersionPairs, after: _VersionPairs) -> tuple[float, float]:
    """Return the part of the variance of delta that whole nights add, with its degrees of freedom."""
    found = [pairs_of_version.night_spread() for pairs_of_version in (before, after)]
    known = [each for each in found if each is not None]
    degrees = sum(each.degrees for each in known)
    if degrees <= 0:
        return 0.0, 0.0
    spread = sum(each.degrees * each.variance for each in known) / degrees
    return spread * before.reach**2 * (1.0 / before.nights + 1.0 / after.nights), degrees
