"""The own noise of a new version: the variance of a comparison when each version varies by its own amount."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.conformal_z import Draw, case_cumulants
from monitor.stats.night_tally import NightTally
from monitor.stats.within_case import within_case_variance

Floats = NDArray[np.float64]
OVERALL_PRIOR = 1.0  # variance, in samples, by which the overall ratio is pulled towards 1 ...
PART_PRIOR = 5.0  # ... and that of a category towards the overall one
PAIRS_PRIOR = 20.0  # pairs of answers that the guess of a first night is worth
TRUSTED_NONE, TRUSTED_ALL = 0.6, 0.9  # between-case shares of variance between which the guess gains its weight
PART_TRUST = 0.5  # and what it counts for a category at least
MIN_RATIO = 0.25
TINY = 1e-12
MIN_DEGREES = 40.0  # a small category borrows the rest from the whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnNoise:
    """The noise per channel, arrays [C].

    `ratio` is the variance of the change over that of one common version. `degrees` are its degrees of freedom.
    `guessed` is whether the new version answered each case only once.
    """

    ratio: Floats
    degrees: Floats
    guessed: bool


def own_noise(then: NightTally, now: NightTally, members: Floats, repeats: NightTally | None = None) -> OwnNoise:
    """Return how much more, or less, the change of a channel varies than if one version had given all answers.

    Formula:   a case with K samples before and m after adds (K X' - m X) / (K + m) to the change, with the variance
               (K^2 m w' + m^2 K w) / (K + m)^2, w and w' the within-case variances of the two sides. The sum over the
               cases of a channel is divided by the variance of a draw without replacement from all K + m samples,
               which takes w = w'. A category's ratio is pulled towards the overall one.
    Guess:     cases that were answered once have no w'. Their squared distance from the old rate exceeds w + w / K by
               w' - w and by the square of the move. That cannot separate a version that varies more from one that
               answers other cases, so that it counts for the overall score as far as the old version's answers were
               steady (where they vary much, noise cannot grow by much), and to a half at least for the categories; it
               never lowers a ratio below 1, nor raises it above that of a version that passes every case with the
               channel's old rate: no noise that leaves the rate as it was is larger. Repeated answers, which are no
               guess, replace it in part: it is worth 20 pairs.
    Range:     [0.25, inf).
    Shapes:    tallies of one row and the same n cases; `repeats` [1, n] are answers of the new nights that were asked
               once more; members [n, C], overall first.
    Empty:     1 where no case has samples on both sides.
    Source:    Cochran, Sampling Techniques (1977), theorem 2.2; the estimate of a first night is this repository's.

    >>> steady = NightTally.of_passes(np.tile([1.0, 0.0], (9, 20)), np.ones((9, 40))).pooled()
    >>> rng = np.random.default_rng(3)
    >>> noisy = NightTally.of_passes((rng.random((5, 40)) < 0.5) * 1.0, np.ones((5, 40))).pooled()
    >>> bool(own_noise(steady, noisy, np.ones((40, 1))).ratio[0] > 1.0)
    True
    """
    # The weight of the within-case variance of each version in the variance of the change, per case.
    samples, answers = then.count[0], now.count[0]
    both = (samples > 0) & (answers > 0)
    total = np.maximum(samples + answers, 1.0)
    of_new = np.where(both, samples**2 * answers / total**2, 0.0)
    of_old = np.where(both, answers**2 * samples / total**2, 0.0)
    old = _known_or(within_case_variance(then), within_case_variance(then + now))
    new, once, guess = _new_variance(then, now, repeats, old, both)
    pooled = case_cumulants(Draw(now=now, everything=then + now)).variance[0] @ members
    flat = (of_new * new + of_old * old) @ members
    if not once.any():
        overall = (flat[0] + OVERALL_PRIOR) / (pooled[0] + OVERALL_PRIOR)
        ratio = (flat + PART_PRIOR * overall) / (pooled + PART_PRIOR)
    else:
        trust = _trust(then, old, both)
        guessed = (of_new * guess) @ members
        full = np.maximum(flat + max(trust, PART_TRUST) * guessed, pooled)
        part = np.maximum(flat + trust * guessed, pooled)
        overall = (part[0] + OVERALL_PRIOR) / (pooled[0] + OVERALL_PRIOR)
        certain = (full[0] + OVERALL_PRIOR) / (pooled[0] + OVERALL_PRIOR)
        ratio = np.maximum((full + PART_PRIOR * certain) / (pooled + PART_PRIOR), certain)
        ratio[0] = overall
        most = of_new @ members * _largest_variance(then, members, both) + (of_old * old) @ members
        ratio = np.minimum(ratio, np.maximum(most / np.maximum(pooled, TINY), 1.0))
    squares = (of_new * new) ** 2 @ members
    degrees = np.where(squares > 0.0, 2.0 * flat**2 / np.maximum(squares, TINY), np.inf)
    return OwnNoise(
        ratio=np.maximum(ratio, MIN_RATIO),
        degrees=np.full_like(degrees, np.inf) if once.any() else np.maximum(degrees, MIN_DEGREES),
        guessed=bool(once.any()),
    )


def _new_variance(
    then: NightTally, now: NightTally, repeats: NightTally | None, old: Floats, both: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Return, per case [n]: the variance of the new version, whether it answered once, and what the guess adds.

    Where the variance of the new version is unknown, it is the old one, corrected by what repeats of other cases show.
    """
    answers = now if repeats is None else now + repeats
    seen = within_case_variance(answers)
    once = both & np.isnan(seen)
    new = np.where(np.isnan(seen), old, seen)
    if not once.any():
        return new, once, np.zeros_like(new)
    size = np.maximum(then.count[0], 1.0)
    rate = then.first[0] / size
    moved = np.where(once, now.second[0] - 2.0 * now.first[0] * rate + rate**2 - old / size - old, 0.0)
    pairs = np.where(both & ~once, answers.count[0] - 1.0, 0.0)
    if pairs.sum() > 0.0:
        extra_variance = float((pairs * (new - old)).sum() / pairs.sum())
        weight = float(pairs.sum() / (pairs.sum() + PAIRS_PRIOR))
        moved = (1.0 - weight) * moved
        new = np.where(once, np.maximum(new + weight * extra_variance, 0.0), new)
    return new, once, moved


def _largest_variance(then: NightTally, members: Floats, both: NDArray[np.bool_]) -> Floats:
    """Return [C]: the variance of one answer when every case of a channel passes with the old rate of the channel.

    No noise that leaves the rate unchanged makes the sum of the channel vary more.
    """
    size = np.maximum(then.count[0], 1.0)
    level = np.where(both, then.first[0] / size, 0.0) @ members / np.maximum(both @ members, 1.0)
    largest: Floats = np.maximum(level * (1.0 - level), 0.0)
    return largest


def _trust(then: NightTally, old: Floats, both: NDArray[np.bool_]) -> float:
    """Return the weight of the guess for the overall score, by the share of variance that is between cases."""
    count = float(then.count.sum())
    rate = float(then.first.sum()) / max(count, 1.0)
    whole = float(then.second.sum()) / max(count, 1.0) - rate * rate
    within = float(old[both].mean()) if both.any() else 0.0
    between = 1.0 - within / whole if whole > 0.0 else 1.0
    return float(np.clip((between - TRUSTED_NONE) / (TRUSTED_ALL - TRUSTED_NONE), 0.0, 1.0))


def _known_or(value: Floats, otherwise: Floats) -> Floats:
    return np.nan_to_num(np.where(np.isnan(value), otherwise, value))
