"""Krippendorff's alpha: the agreement of any number of raters, with missing ratings."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Metric = Literal["nominal", "interval"]


def krippendorff_alpha(ratings: Floats, metric: Metric = "nominal") -> float | None:
    """Return one minus the disagreement within units over the disagreement of all ratings paired at random.

    Formula:   alpha = 1 - Do / De. Do: mean over units of the squared difference of all pairs of a unit's m ratings, a
               unit weighing m / (n pairable ratings); De: the same of all pairs of pairable ratings. The difference of
               two ratings is 0 or 1 (nominal), or a - b (interval: scores on a scale).
    Range:     (-1, 1]; 1 is full agreement, 0 is chance, below 0 raters contradict each other.
    Direction: larger is more agreement. Krippendorff requires 0.8, or 0.667 for tentative conclusions.
    Shapes:    float64[raters, units], NaN where a rater did not rate; nominal categories as numbers.
    Empty:     units with fewer than two ratings are left out; no pairable unit, or no variation at all: None.
    Smallest:  one unit with two different ratings; below about 30 units it is imprecise.
    Source:    Krippendorff, Content Analysis (2004), chapter 11; Hayes and Krippendorff, Commun Methods Meas 1 (2007)
               77-89.
    Differs:   in nothing; gives no interval (bootstrap the units for one).

    >>> nan = np.nan
    >>> ratings = np.array([[1, 2, 3, 3, nan], [1, 2, 3, 2, 1], [nan, 2, 3, 3, nan]])
    >>> round(krippendorff_alpha(ratings), 3), round(krippendorff_alpha(ratings, "interval"), 3)
    (0.737, 0.853)
    """
    if ratings.ndim != 2:
        raise ValueError(f"ratings must have the shape [raters, units], got {ratings.shape}")
    count = np.sum(~np.isnan(ratings), axis=0)
    pairable, size = ratings[:, count >= 2], count[count >= 2].astype(np.float64)
    total = float(size.sum())
    counts, values = _value_counts(pairable)
    within = float((_disagreement(counts, values, metric) / np.maximum(size - 1.0, 1.0)).sum())
    overall = float(_disagreement(counts.sum(axis=0, keepdims=True), values, metric)[0])
    return 1.0 - (total - 1.0) * within / overall if overall > 0.0 else None


def _value_counts(ratings: Floats) -> tuple[Floats, Floats]:
    """Return how often each value occurs in each unit, [units, values], and the values."""
    values = np.unique(ratings[~np.isnan(ratings)])
    return (ratings[:, :, None] == values).sum(axis=0).astype(np.float64), values


def _disagreement(counts: Floats, values: Floats, metric: Metric) -> Floats:
    """Return, per row, the sum over ordered pairs of ratings of their squared difference."""
    if metric == "nominal":
        return np.asarray(counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1), dtype=np.float64)
    centred = values - values.mean() if values.size else values  # differences keep their digits
    size, first, second = counts.sum(axis=1), counts @ centred, counts @ centred**2
    return np.asarray(np.maximum(2.0 * (size * second - first**2), 0.0), dtype=np.float64)
