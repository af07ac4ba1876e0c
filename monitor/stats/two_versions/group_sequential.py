"""The looks after an announced change: their nights, and the boundary of each."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from monitor.stats.normal import normal_quantile

Floats = NDArray[np.float64]
LOOKS = (1, 2, 3, 5, 7, 10, 14, 21, 30)  # nights after the change
FIRST_SHARE = 0.4  # of alpha, spent on the first night
_GRID = 201  # points of the integration, -LOW .. boundary
_LOW = 8.0


def boundaries(alpha: float, looks: Sequence[int] = LOOKS, *, first_share: float = FIRST_SHARE) -> tuple[float, ...]:
    """Return the scores, one per look, of which any is reached with probability alpha when nothing changed.

    Formula:   c_1 with P(Z_1 >= c_1) = first_share alpha, then one c for all later looks with P(any Z_j >= c_j) =
               alpha, Z_j = W(t_j) / sqrt(t_j) for a Brownian motion W and t_j the nights since the change: recursive
               integration of the density that has not crossed yet.
    Range:     each at least Phi^-1(1 - alpha). One-sided.
    Direction: a smaller alpha gives larger boundaries.
    Shapes:    alpha in (0, 0.5]; looks increasing positive counts of nights; as many boundaries as looks.
    Empty:     no look raises ValueError. A single look gets all of alpha.
    Source:    Pocock, Biometrika 64 (1977) 191-199; error spending: Lan and DeMets, Biometrika 70 (1983) 659-663; the
               integration: Armitage, McPherson and Rowe, J R Stat Soc A 132 (1969) 235-244.
    Differs:   a large share is spent on the first look, since the page should come the same night. The nights before
               the change are taken as many; with few of them the looks are more alike and the true probability is below
               alpha.

    >>> [round(c, 2) for c in boundaries(0.025, looks=(1, 2, 3))]
    [2.33, 2.27, 2.27]
    >>> round(boundaries(0.05, looks=(1,))[0], 2)
    1.64
    """
    if not 0.0 < alpha <= 0.5:
        raise ValueError(f"alpha must be above 0 and at most 0.5, got {alpha}")
    if not looks or any(b <= a for a, b in zip((0, *looks), looks, strict=False)):
        raise ValueError(f"looks must be increasing counts of nights from 1, got {tuple(looks)}")
    return _boundaries(float(alpha), tuple(looks), first_share)


def last_look(nights: int, looks: Sequence[int] = LOOKS) -> int | None:
    """Return the latest look that `nights` nights after the change allow; None before the first.

    >>> last_look(6), last_look(0), last_look(99)
    (5, None, 30)
    """
    return max((look for look in looks if look <= nights), default=None)


@lru_cache(maxsize=64)
def _boundaries(alpha: float, looks: tuple[int, ...], first_share: float) -> tuple[float, ...]:
    from scipy.optimize import brentq

    if len(looks) == 1:
        return (-normal_quantile(alpha),)
    first = -normal_quantile(first_share * alpha)
    later = float(brentq(lambda c: _crossing(first, c, looks) - alpha, 0.0, 8.0, xtol=1e-5))
    return (first, *[later] * (len(looks) - 1))


def _crossing(first: float, later: float, looks: tuple[int, ...]) -> float:
    """Return P(any look is reached), by carrying the density of W over the looks that were not."""
    points, weights = _points(first)
    density = _normal(points)
    for before, now in pairwise(looks):
        kept, step = np.sqrt(before / now), np.sqrt((now - before) / now)
        ahead, next_weights = _points(later)
        density = _normal((ahead[:, None] - kept * points[None, :]) / step) @ (weights * density) / step
        points, weights = ahead, next_weights
    return float(1.0 - (weights * density).sum())


def _points(c: float) -> tuple[Floats, Floats]:
    """Return the grid for the density of a look that stays below c, on the scale of Z, with the weights of the
    trapezoid rule.
    """
    points = np.linspace(-_LOW, c, _GRID)
    weights = np.full(_GRID, points[1] - points[0])
    weights[[0, -1]] /= 2.0
    return points, weights


def _normal(x: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    return density
