"""Agreement of two raters on the same items, for example a judge and a person, beyond chance."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monitor.stats.normal import normal_quantile
from monitor.stats.wilson import wilson

Floats = NDArray[np.float64]
Weights = Literal["none", "linear", "quadratic"]  # how much of an agreement a near miss is: none, or by distance


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient, 1 for full agreement and 0 for chance, with its interval, on `n` rated items.

    `value` is None where chance alone gives full agreement; `interval` is None where the value is, or where its
    variance is unknown.
    """

    value: float | None
    interval: tuple[float, float] | None
    n: int


def raw_agreement(table: NDArray[np.int64], level: float = 0.95) -> Agreement:
    """Return the share of items in the same category for both raters, with Wilson's interval. 0 means never, not
    chance.

    Shapes:    int64[C, C], rows the first rater's category, columns the second's.
    Source:    Wilson, J Am Stat Assoc 22 (1927) 209-212.

    >>> both = raw_agreement(np.array([[118, 5], [2, 0]]))
    >>> round(both.value, 3), [round(end, 3) for end in both.interval]
    (0.944, [0.889, 0.973])
    """
    n = _check(table, level)
    share = float(np.trace(table)) / n
    low, high = wilson(share, n, level)
    return Agreement(value=share, interval=(float(low), float(high)), n=n)


def cohen_kappa(table: NDArray[np.int64], weights: Weights = "none", level: float = 0.95) -> Agreement:
    """Return the agreement beyond the chance agreement of two raters with these category shares.

    Formula:   kappa = (po - pe) / (1 - pe), po = sum w_ij p_ij, pe = sum w_ij p_i. p_.j; w_ij is 1 on the diagonal and
               0 off it, 1 - |i - j| / (C - 1) (linear) or 1 - (i - j)^2 / (C - 1)^2 (quadratic).
    Range:     [-1, 1]; the interval is kappa -/+ z standard errors, cut at both ends.
    Direction: larger is more agreement; 0 is chance.
    Shapes:    int64[C, C]; with weights the categories are in their order.
    Empty:     an empty table raises ValueError. Both raters always in one and the same category: no value (0 / 0).
    Smallest:  the interval is for large samples: trust it from about 50 items with every category in use. Full
               agreement has an interval without width, because the formula ends there.
    Source:    Cohen, Educ Psychol Meas 20 (1960) 37-46 and Psychol Bull 70 (1968) 213-220; standard error: Fleiss,
               Cohen and Everitt, Psychol Bull 72 (1969) 323-327.
    Differs:   in nothing. Low when one category dominates, however often raters agree: show `raw_agreement` with it.

    >>> kappa = cohen_kappa(np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]]))
    >>> round(kappa.value, 3), [round(end, 3) for end in kappa.interval]
    (0.676, [0.505, 0.848])
    """
    n, share = _check(table, level), table / table.sum()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    w = _weights(len(table), weights)
    observed, expected = float((w * share).sum()), float(rows @ w @ columns)
    if expected >= 1.0 - 1e-12:
        return Agreement(value=None, interval=None, n=n)
    kappa = (observed - expected) / (1.0 - expected)
    habit = (w @ columns)[:, None] + (rows @ w)[None, :]
    spread = (share * (w - habit * (1.0 - kappa)) ** 2).sum() - (kappa - expected * (1.0 - kappa)) ** 2
    error = math.sqrt(max(float(spread), 0.0) / n) / (1.0 - expected)
    return Agreement(value=kappa, interval=_around(kappa, error, level), n=n)


def gwet_ac1(table: NDArray[np.int64], level: float = 0.95) -> Agreement:
    """Return the agreement beyond chance, where chance means guessing on hard items only; stable when one category
    dominates.

    Formula:   AC1 = (po - pe) / (1 - pe), pe = sum q_j (1 - q_j) / (C - 1), q_j the mean of both raters' shares of j.
    Range:     [-1, 1]; the interval is AC1 -/+ z standard errors over items, cut at both ends.
    Direction: larger is more agreement; 0 is chance.
    Shapes:    int64[C, C], C >= 2.
    Empty:     an empty table raises ValueError; pe is at most 1 / C, so there always is a value.
    Smallest:  the interval is for large samples: from about 50 items.
    Source:    Gwet, Br J Math Stat Psychol 61 (2008) 29-48.
    Differs:   in nothing; the items are a sample, the raters are these.

    >>> ac1 = gwet_ac1(np.array([[118, 5], [2, 0]]))
    >>> round(ac1.value, 4), [round(end, 3) for end in ac1.interval]
    (0.9408, [0.896, 0.986])
    """
    n, categories, share = _check(table, level), len(table), table / table.sum()
    q = (share.sum(axis=0) + share.sum(axis=1)) / 2.0
    observed, expected = float(np.trace(share)), float((q * (1.0 - q)).sum()) / (categories - 1)
    value = (observed - expected) / (1.0 - expected)
    guessing = (1.0 - (q[:, None] + q[None, :]) / 2.0) / (categories - 1)  # an item's share in the chance agreement
    per_item = (np.eye(categories) - expected) / (1.0 - expected)
    per_item = per_item - 2.0 * (1.0 - value) * (guessing - expected) / (1.0 - expected)
    squares = float((share * (per_item - value) ** 2).sum())
    return Agreement(value=value, interval=_around(value, math.sqrt(squares / max(n - 1, 1)), level), n=n)


def _weights(categories: int, weights: Weights) -> Floats:
    if weights == "none":
        return np.eye(categories)
    away = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))) / (categories - 1)
    return np.asarray(1.0 - (away if weights == "linear" else away**2), dtype=np.float64)


def _around(value: float, error: float, level: float) -> tuple[float, float]:
    half = normal_quantile(0.5 + level / 2.0) * error
    return max(-1.0, value - half), min(1.0, value + half)


def _check(table: NDArray[np.int64], level: float) -> int:
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ValueError(f"a table of two raters must be square with at least two categories, got {table.shape}")
    if np.any(table < 0) or not table.sum():
        raise ValueError("a table of two raters must have counts and at least one rated item")
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level must be between 0 and 1, got {level}")
    return int(table.sum())
