"""The expected score after a fall of a known size, and the smallest fall that reaches a required score."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Draw, case_cumulants, skewed_z
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
STEPS = 2**14  # of the rate: a fall is then right to a hundredth of a point


@dataclass(frozen=True, slots=True, kw_only=True)
class FallScore:
    """`mean` is positive for a fall; `sd` is 1 when the fall adds no noise."""

    mean: float
    sd: float


def fall_score(before: NightTally, samples: Floats, fall: float) -> FallScore:
    """Return the normal score of the nights after a fall of the rate of the channel by `fall`, as `channel_scores`
    gives it.

    Formula:   each case keeps a share f = 1 - fall / rate of its expected sums. The mean is the score of the expected
               sums, given all samples so far, these included. A fall may spare the certain cases, which leaves the
               score a spread of about 1, or hit every answer alike with chance 1 - f, which adds noise: `sd` is half
               way.
    Range:     mean of either sign, sd >= 0.
    Direction: both grow with the fall.
    Shapes:    before: the channel's n cases, all nights as one, [1, n]; samples [n]: samples of each case after the
               fall.
    Empty:     a mean of 0 where nothing is uncertain, or no case has samples before and after the onset.
    Smallest:  some nights before; one night leaves the pass rate of each case open.
    Source:    this repository; moments as in `case_cumulants`.
    Differs:   the expected score is taken at the expected sums; sets of nearly perfect cases show a little more.

    >>> before = NightTally.of_passes(np.array([[18.0, 20.0, 2.0, 9.0]]), np.full((1, 4), 20.0))
    >>> small, large = (fall_score(before, np.ones(4), fall) for fall in (0.1, 0.5))
    >>> 0.0 < small.mean < large.mean
    True
    """
    return _Alike.of(before, samples).score(fall)


def smallest_fall(before: NightTally, samples: Floats, needed: Callable[[float], float]) -> float | None:
    """Return the smallest fall whose mean score is at least `needed(sd)`; None when the loss of every pass is not
    enough.

    Arguments are those of `fall_score`.

    >>> before = NightTally.of_passes(np.full((1, 200), 18.0), np.full((1, 200), 20.0))
    >>> fall = smallest_fall(before, np.ones(200), lambda sd: 4.0 + 0.84 * sd)
    >>> fall is not None and 0.1 < fall < 0.15
    True
    """
    alike = _Alike.of(before, samples)

    def excess(step: int) -> float:
        score = alike.score(alike.level * step / STEPS)
        return score.mean - needed(score.sd)

    if alike.level <= 0.0 or (at_high := excess(STEPS)) < 0.0:
        return None
    return alike.level * _first_step(excess, at_high) / STEPS


def _first_step(excess: Callable[[int], float], at_high: float) -> int:
    """Return the first of the steps with an excess of at least 0. It rises, and `at_high` is that of the last step."""
    low, high, at_low, tries = 0, STEPS, excess(0), 0
    while high - low > 1:
        # A straight line between both ends is close to the root; every third try halves the rest.
        line = low + (high - low) * at_low / (at_low - at_high) if at_low < 0.0 else low
        middle = (low + high) // 2 if tries % 3 == 2 else min(max(round(line), low + 1), high - 1)
        at_middle, tries = excess(middle), tries + 1
        low, at_low, high, at_high = (
            (low, at_low, middle, at_middle) if at_middle >= 0.0 else (middle, at_middle, high, at_high)
        )
    return high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Alike:
    """The cases of a channel. Cases with the same sums and samples are one column: `cases` [n] counts them."""

    before: NightTally  # [1, n]
    samples: Floats  # [n]
    cases: Floats  # [n]
    level: float  # the rate of the channel

    @classmethod
    def of(cls, before: NightTally, samples: Floats) -> "_Alike":
        sums = [before.count[0], before.first[0], samples]
        sums += [] if before.binary else [before.second[0], before.third[0]]
        order = np.lexsort(sums)
        sorted_sums = np.stack(sums)[:, order]
        differs = (sorted_sums[:, 1:] != sorted_sums[:, :-1]).any(axis=0)
        starts = np.flatnonzero(np.concatenate([np.ones(min(order.size, 1), dtype=np.bool_), differs]))
        cases = np.diff(np.append(starts, order.size))
        one_each, samples = before.of_cases(order[starts]), samples[order[starts]]
        weight = cases * samples * (one_each.count[0] > 0)
        rate = one_each.first[0] / np.maximum(one_each.count[0], 1.0)
        return cls(
            before=one_each,
            samples=samples,
            cases=cases.astype(np.float64),
            level=float(weight @ rate) / max(float(weight.sum()), 1.0),
        )

    def score(self, fall: float) -> FallScore:
        kept = max(1.0 - fall / self.level, 0.0) if self.level > 0.0 else 1.0
        now = self._expected(self.samples * kept / np.maximum(self.before.count[0], 1.0))
        cumulants = case_cumulants(Draw(now=now, everything=self.before + now))
        fallen = float((cumulants.mean - now.first)[0] @ self.cases)
        variance, third = cumulants.variance[0] @ self.cases, cumulants.third[0] @ self.cases
        noise = self._noise(kept)
        z = skewed_z(-(fallen + np.array([0.0, -noise, noise])), variance, third)
        mean, low, high = np.nan_to_num(-z).tolist()
        return FallScore(mean=mean, sd=(1.0 + abs(high - low) / 2.0) / 2.0)

    def _expected(self, share: Floats) -> NightTally:
        """Return [1, n]: a lost answer scores 0, so all three sums keep the same share."""
        before, count, first = self.before, self.samples[None, :], self.before.first * share
        if before.binary:
            return NightTally(count=count, first=first, second=first, third=first)
        return NightTally(count=count, first=first, second=before.second * share, third=before.third * share)

    def _noise(self, kept: float) -> float:
        """Return the standard deviation of the sum of the channel when each answer is lost independently."""
        size = np.maximum(self.before.count[0], 1.0)
        mean, square = self.before.first[0] / size, self.before.second[0] / size
        spread = np.maximum(square - mean**2, 0.0) * size / np.maximum(size - 1.0, 1.0)  # of one sample of a case
        of_sample = kept**2 * spread + kept * (1.0 - kept) * square
        variance = self.samples * (size / (size + self.samples)) ** 2 * of_sample
        return math.sqrt(float(variance @ self.cases))
