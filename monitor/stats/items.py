"""Item statistics: how hard each case is, and whether it separates good versions from bad ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.normal import normal_quantile
from monitor.stats.wilson import wilson

Floats = NDArray[np.float64]
MIN_VERSIONS = 8  # a correlation of fewer points has an interval of nearly everything


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemStatistics:
    """One number per case, [n] each, NaN where it is unknown.

    - `pass_rate`: the mean score over versions; high is easy.
    - `discrimination`: the correlation of the case with the rest of the set. Both have intervals at the given level.
    - `never_separates` [n] bool: every version so far had the same score.
    - `versions` [n]: the number of versions that scored the case.
    """

    pass_rate: Floats
    pass_rate_low: Floats
    pass_rate_high: Floats
    discrimination: Floats
    discrimination_low: Floats
    discrimination_high: Floats
    never_separates: NDArray[np.bool_]
    versions: NDArray[np.int64]

    @property
    def share_never_separating(self) -> float | None:
        """The share of the cases with at least two versions that never separate them; None without such cases."""
        judged = self.versions >= 2
        return float(self.never_separates[judged].mean()) if judged.any() else None


def item_statistics(scores: Floats, level: float = 0.95, fewest: int = MIN_VERSIONS) -> ItemStatistics:
    """Return difficulty and discrimination of every case over the versions that were run.

    Formula:   pass rate: mean m of the v scores of the case, Wilson's interval for m of v. Discrimination: Pearson's r
               (point-biserial for pass or fail) of the case with the mean of all other cases of the same version;
               interval tanh(atanh r -/+ z / sqrt(v - 3)).
    Range:     pass rate [0, 1]; discrimination [-1, 1].
    Direction: a case with discrimination near 1 fails where the set fails; near 0 it is noise; below 0 it deserves a
               look: better versions fail it (a wrong reference, or a rule that punishes the better answer).
    Shapes:    scores[versions, n] float64 in [0, 1], NaN where not scored: one row a version, its runs averaged.
    Empty:     fewer than `fewest` scored versions, or no variation of the case or of the rest: discrimination NaN. A
               case without a score: NaN everywhere, `never_separates` False.
    Smallest:  `fewest` >= 4; at 8 versions the interval of r = 0.7 is 0.0 to 0.94.
    Source:    corrected item-total correlation: Henrysson, Psychometrika 28 (1963) 211-218; Wilson, J Am Stat Assoc 22
               (1927) 209-212; Fisher, Metron 1 (1921) 3-32.
    Differs:   rest means instead of rest sums, since versions may miss cases. Wilson's interval is too wide for graded
               scores and for averaged runs. Versions are taken as a sample; related versions have less information
               than their number.

    >>> scores = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1.0]])
    >>> items = item_statistics(scores)
    >>> items.pass_rate.round(3).tolist(), items.discrimination.round(2).tolist()
    ([0.625, 0.625, 0.5], [-0.27, 0.29, -0.6])
    """
    _check(scores, level, fewest)
    known = ~np.isnan(scores)
    versions = known.sum(axis=0)
    rate = np.where(versions > 0, np.where(known, scores, 0.0).sum(axis=0) / np.maximum(versions, 1), np.nan)
    low, high = wilson(rate, versions, level)
    r = np.where(versions >= fewest, _item_rest_correlation(scores, known), np.nan)
    r_low, r_high = _fisher(r, versions, level)
    top = np.where(known, scores, -np.inf).max(axis=0, initial=-np.inf)
    bottom = np.where(known, scores, np.inf).min(axis=0, initial=np.inf)
    return ItemStatistics(
        pass_rate=rate,
        pass_rate_low=low,
        pass_rate_high=high,
        discrimination=r,
        discrimination_low=r_low,
        discrimination_high=r_high,
        never_separates=(versions > 0) & (top == bottom),
        versions=versions,
    )


def _check(scores: Floats, level: float, fewest: int) -> None:
    if scores.ndim != 2:
        raise ValueError(f"scores must have the shape [versions, cases], got {scores.shape}")
    if np.any((scores < 0.0) | (scores > 1.0)):
        raise ValueError("scores must be between 0 and 1, or NaN where one is missing")
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level must be between 0 and 1, got {level}")
    if fewest < 4:
        raise ValueError(f"a correlation has an interval from 4 versions on, got fewest = {fewest}")


def _item_rest_correlation(scores: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return Pearson's r of each case with the mean of the others, over the versions where both are known."""
    filled = np.where(known, scores, 0.0)
    others = known.sum(axis=1, keepdims=True) - known
    rest = (filled.sum(axis=1, keepdims=True) - filled) / np.maximum(others, 1)
    both = known & (others > 0)
    count = np.maximum(both.sum(axis=0), 1)
    x = np.where(both, filled - np.where(both, filled, 0.0).sum(axis=0) / count, 0.0)
    y = np.where(both, rest - np.where(both, rest, 0.0).sum(axis=0) / count, 0.0)
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    varies = ((x * x).sum(axis=0) > 1e-12) & ((y * y).sum(axis=0) > 1e-12)  # less is rounding of equal scores
    r = np.where(varies, (x * y).sum(axis=0) / np.where(varies, spread, 1.0), np.nan)
    return np.clip(r, -1.0, 1.0)


def _fisher(r: Floats, n: NDArray[np.int64], level: float) -> tuple[Floats, Floats]:
    centre = np.arctanh(np.clip(r, -1.0 + 1e-12, 1.0 - 1e-12))
    half = normal_quantile(0.5 + level / 2.0) / np.sqrt(np.maximum(n - 3, 1))
    return np.tanh(centre - half), np.tanh(centre + half)
