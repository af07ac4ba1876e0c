"""The confidence interval of a drop that a look found: it allows for the selection of large drops."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.stats.two_versions.group_sequential import LOOKS

Floats = NDArray[np.float64]
TAIL = 0.025  # of the alarms, on each side
Z_975 = 1.959964
_LOW = -8.0  # scores below it do not happen
_HIGHEST = 30.0  # bound whose chance of being reached without a change is a number still
_FAR = 12.0  # standard errors within which both ends are searched
_NODES = 48  # of the integration over the scores of looks that found nothing


def drop_found_by_look(score: float, look: int, bounds: Sequence[float], before: int) -> tuple[float, float]:
    """Return the smallest and the largest true drop, in standard errors, that are consistent with an alarm of this
    look.

    Formula:   least: the drop theta with P(Z_J - theta sqrt(t_J) >= score - theta | an alarm by this look) = TAIL, J
               the first look with Z_j >= c_j, Z_j = W(t_j) / sqrt(t_j) for a Brownian motion W with drift theta, and
               t_j the information m r / (m + r) of m nights after and r before the change, 1 at this look; integrated
               look by look over the scores that found nothing. When no change at all goes with the alarm, the error
               that it then may have reaches below 0 too. Largest: score + 1.96, as without selection.
    Range:     the first is below `score`. A drop far beyond its bound has score -/+ 1.96.
    Direction: positive is a drop; `score` is the measured drop over its standard error.
    Shapes:    `look` an index into LOOKS; one bound for each of LOOKS, on the scale of `score`; nights before.
    Empty:     a score of 0 or less raises ValueError.
    Smallest:  one night before the change.
    Source:    inference after selection: Fithian, Sun and Taylor, Optimal Inference After Model Selection (2014),
               https://arxiv.org/abs/1410.2597; the integration as in `group_sequential`.
    Differs:   conditional on an alarm by now, not on one at this very look: given that, a late alarm would say nearly
               nothing. Truths that are no drop are not conditioned on: they seldom raise an alarm.

    >>> bounds = [2.62] * 9
    >>> [round(end, 2) for end in drop_found_by_look(2.7, 0, bounds, 14)]
    [-1.0, 4.66]
    >>> [round(end, 2) for end in drop_found_by_look(8.0, 0, bounds, 14)]
    [6.04, 9.96]
    """
    from scipy.optimize import brentq

    if score <= 0.0:
        raise ValueError(f"the score of a look that found a drop must be above 0, got {score}")
    information = np.array([nights * before / (nights + before) for nights in LOOKS[: look + 1]])
    plan = _Plan.of(information / information[-1], np.minimum(bounds[: look + 1], min(score, _HIGHEST)))
    if plan.share_above(score, 0.0) < TAIL:
        least = brentq(lambda theta: plan.share_above(score - theta, theta) - TAIL, 0.0, score)
    else:
        least = score - brentq(lambda off: plan.share_above(off, 0.0) - TAIL, score, score + _FAR)
    return float(least), score + Z_975


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plan:
    """J looks. Before each, the scores of Brownian motion at the previous look that found nothing, with their weights
    under 'no change'; the first look comes after a single point.
    """

    times: Floats  # [J]
    bounds: Floats  # [J], on the scale of W
    points: Floats  # [J, nodes], on the scale of W
    weights: Floats  # [J, nodes]
    since: Floats  # [J]: time of the look before, 0 for the first

    @classmethod
    def of(cls, times: Floats, bounds: Floats) -> "_Plan":
        roots, shares = np.polynomial.legendre.leggauss(_NODES)
        points, weights = np.zeros((len(times), _NODES)), np.zeros((len(times), _NODES))
        weights[0, 0] = 1.0
        since = np.concatenate([[0.0], times[:-1]])
        for look in range(1, len(times)):
            ends = np.sqrt(times[look - 1]) * np.array([_LOW, bounds[look - 1]])
            points[look] = ends[0] + (ends[1] - ends[0]) * (roots + 1.0) / 2.0
            step = np.sqrt(times[look - 1] - since[look - 1])
            density = _normal((points[look][:, None] - points[look - 1]) / step) / step @ weights[look - 1]
            weights[look] = density * shares * (ends[1] - ends[0]) / 2.0
        return cls(times=times, bounds=bounds * np.sqrt(times), points=points, weights=weights, since=since)

    def share_above(self, off: float, theta: float) -> float:
        """Return, of the alarms under the drift theta, the share whose score is more than `off` above its mean."""
        from scipy.special import ndtr

        tilted = self.weights * np.exp(theta * self.points - (theta * theta * self.since / 2.0)[:, None])
        step = np.sqrt(self.times - self.since)[:, None]
        ahead = self.points + theta * (self.times - self.since)[:, None]
        found = ndtr((ahead - self.bounds[:, None]) / step)
        above = ndtr((ahead - (off * np.sqrt(self.times) + theta * self.times)[:, None]) / step)
        return float((tilted * np.minimum(above, found)).sum() / (tilted * found).sum())


def _normal(x: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
    return density
