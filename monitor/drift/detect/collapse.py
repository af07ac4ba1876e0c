"""Evidence for a collapse: a fall in one night that sampling cannot explain, however much nights usually vary."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.change_point.shiryaev_roberts import NEVER
from monitor.stats.conformal_z import Scores
from monitor.stats.night_tally import NightTally
from monitor.stats.normal import normal_quantile
from monitor.stats.studentise import earlier_spread

Floats = NDArray[np.float64]
OVERALL_WEIGHT = 0.017  # of the evidence of a night; with the usual threshold it needs a z of about -4.2 ...
PARTS_WEIGHT = 0.022  # ... shared by the categories: about -4.7 for each of ten
MIN_FALL, CERTAIN_FALL = 0.08, 0.25  # overall: no fall below the first is one, any beyond the second is, ...
NIGHT_SDS = 5.0  # ... and between them it must be this many standard deviations of the other variation of nights
PART_FALL = 0.25  # of a category


def collapse_log_e(scores: Scores, fall: Floats, log_needed: float) -> Floats:
    """Return the log evidence of each night alone. `shiryaev_roberts` divides by the spread of nights, this does not.

    Formula:   w / p0 where the score's probability is at most p0 = w / threshold and the fall large, else 0; w is the
               weight of the channel.
    Range:     an e-value times w: its mean under 'no change' is at most w, so that it can be added to an average.
    Direction: large is evidence for a fall.
    Shapes:    scores and fall [T, C], overall first: how far the pass rate of the cases of that night is below that
               of the same cases before, a positive fraction; log_e [T, C].
    Empty:     -inf without evidence.
    Smallest:  two nights. Twenty cases show a fall of fifty points.
    Source:    Vovk and Wang, Ann Statist 49 (2021) 1736-1754: an indicator over its probability is an e-value.

    >>> z, fall = np.array([[-9.0], [-2.0], [-9.0]]), np.array([[0.5], [0.5], [0.02]])
    >>> collapse_log_e(Scores(z=z, square=z * z), fall, 7.0).tolist()
    [[7.0], [-inf], [-inf]]
    """
    from scipy.special import ndtr

    parts = scores.z.shape[1] - 1
    weights = np.array([OVERALL_WEIGHT, *[PARTS_WEIGHT / max(parts, 1)] * parts])
    z = np.nan_to_num(scores.z)
    # Sampling alone would give such a score with probability w / threshold or less.
    beyond = np.asarray(ndtr(z), dtype=np.float64) <= weights * math.exp(-log_needed)
    return np.where(beyond & _is_large(z, scores.square, fall), log_needed, NEVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapseThreshold:
    """The minimum of a collapse: a `score` in units of sampling and the size of the fall, both positive."""

    score: float
    min_fall: float


def collapse_thresholds(log_needed: float, rms: float, parts: int = 0) -> tuple[CollapseThreshold, ...]:
    """Return the thresholds of a collapse of all cases, or of one of several categories (`parts`). Either threshold is
    enough.

    `rms` is the root mean square of the scores of the nights before.

    >>> [(round(threshold.score, 1), threshold.min_fall) for threshold in collapse_thresholds(7.0, 1.5)]
    [(5.6, 0.08), (4.2, 0.25)]
    """
    weight = PARTS_WEIGHT / parts if parts else OVERALL_WEIGHT
    score = -normal_quantile(weight * math.exp(-log_needed))
    if parts:
        return (CollapseThreshold(score=score, min_fall=PART_FALL),)
    beyond_nights = NIGHT_SDS * math.sqrt(max(rms * rms - 1.0, 0.0))
    certain = CollapseThreshold(score=score, min_fall=CERTAIN_FALL)
    return CollapseThreshold(score=max(score, beyond_nights), min_fall=MIN_FALL), certain


def _is_large(z: Floats, square: Floats, fall: Floats) -> NDArray[np.bool_]:
    """Return [T, C]: whether the fall is large enough.

    If sampling were the only cause, a fall f with score z would have the standard deviation f / |z|. This gives the
    standard deviation of the other causes of variation between the earlier nights.
    """
    # A fall this large is a collapse, however much nights vary.
    certain_fall = fall >= np.array([CERTAIN_FALL, *[PART_FALL] * (z.shape[1] - 1)])
    beyond_sampling = np.sqrt(np.maximum(earlier_spread(square).mean_square - 1.0, 0.0))
    # A smaller fall must be many standard deviations of the other variation between nights.
    beyond_nights = (fall >= MIN_FALL) & (np.abs(z) >= NIGHT_SDS * beyond_sampling)
    # The smaller fall counts for all cases only, not for a category.
    beyond_nights[:, 1:] = False
    large: NDArray[np.bool_] = certain_fall | beyond_nights
    return large


def night_falls(tally: NightTally, members: Floats) -> Floats:
    """Return [T, C]: how far the pass rate of each night is below that of the same cases on all nights before it."""
    count, first = tally.count, tally.first
    earlier_count, passed = np.cumsum(count, axis=0) - count, np.cumsum(first, axis=0) - first
    known = (count > 0) & (earlier_count > 0)
    expected = np.where(known, count * passed / np.maximum(earlier_count, 1.0), 0.0) @ members
    observed, samples = np.where(known, first, 0.0) @ members, np.where(known, count, 0.0) @ members
    return np.where(samples > 0, (expected - observed) / np.maximum(samples, 1.0), np.nan)
