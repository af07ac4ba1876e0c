"""Compares two versions with graded scores on the same cases."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally
from monitor.stats.sign_flip import sign_flip_test
from monitor.stats.two_versions.paired_change import PairedChange, paired_change

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedChange:
    """`change` has the effect with its interval for these cases and the wider one for new cases. `p_value` is the
    two-sided sign-flip test on the case differences.
    """

    change: PairedChange
    p_value: float


def compare_graded(
    before: Floats, after: Floats, rng: np.random.Generator, *, level: float = 0.95, draws: int = 9999
) -> GradedChange:
    """Return the change of the mean score of the same cases between two versions (rubric points or partial credit).

    Formula:   per case d_i = mean of its samples after - mean of its samples before; effect, interval for these cases
               (within-case variance) and for new cases (t on the d_i, clustered by case): `paired_change`; p-value:
               `sign_flip_test` on the d_i.
    Range:     effect and intervals in [-1, 1], p-value in (0, 1].
    Direction: negative is worse; the p-value counts both directions.
    Shapes:    before [n, k], after [n, k'] float64 in [0, 1], row i the same case; k may differ, NaN pads.
    Empty:     a case without a score on one side is left out, never a zero; no case on both sides raises ValueError.
    Smallest:  two cases for the interval for new cases, six that changed for a p-value below 0.05.
    Source:    see the parts.
    Differs:   with one sample a case on both sides the interval for these cases takes the largest variance that the
               mean score allows, m (1 - m): too wide for scores that rarely reach 0 or 1. Repeats make it honest.

    >>> before = np.array([[0.75, 1.0], [0.5, 0.75], [1.0, 1.0], [0.25, 0.5], [0.75, 0.75], [1.0, 0.75]])
    >>> graded = compare_graded(before, before - 0.25, np.random.default_rng(1))
    >>> graded.change.delta, graded.p_value
    (-0.25, 0.03125)
    """
    if before.ndim != 2 or after.ndim != 2 or len(before) != len(after):
        raise ValueError(
            f"graded scores are [cases, samples] with the same cases, got {before.shape} and {after.shape}"
        )
    then, now = NightTally.of_values(before[None]), NightTally.of_values(after[None])
    change = paired_change(then, now, np.ones(len(before), dtype=np.bool_), level=level)
    if change is None:
        raise ValueError("a comparison needs at least one case with a score before and after, there is none")
    differences = _case_means(now) - _case_means(then)
    return GradedChange(change=change, p_value=sign_flip_test(differences, rng, draws))


def _case_means(tally: NightTally) -> Floats:
    count = tally.count[0]
    return np.where(count > 0, tally.first[0] / np.maximum(count, 1.0), np.nan)
