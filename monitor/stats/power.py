"""Power analysis: cases, repeats and nights that an effect needs, and the effect that a set detects, at the measured
noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

Floats = NDArray[np.float64]
POINTS = 401  # of the integration over scores that have not crossed yet
LOWEST = -8.0
HALVINGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Variances in squared score units, as `noise_floor` measures them.

    - `within_variance`: of one sample of one case, mean over cases (for pass or fail the mean of p (1 - p)).
    - `night_variance`: of the mean of a whole night without a change.
    - `case_night_variance`: of a single case between nights; more repeats in the night do not reduce it.
    """

    within_variance: float
    night_variance: float
    case_night_variance: float = 0.0

    def of_cell(self, k: int) -> float:
        """Return the variance of the mean of k samples of one case in one night."""
        return self.within_variance / k + self.case_night_variance

    def of_night_mean(self, n: int, k: int) -> float:
        """Return the variance of the mean of one night: sum of p (1 - p) / (n^2 k) is within_variance / (n k)."""
        return self.of_cell(k) / n + self.night_variance


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One design with the required power: n cases, k repeats per night, detected at the latest `nights` after the
    change.
    """

    n: int
    k: int
    nights: int

    @property
    def samples(self) -> int:
        return self.n * self.k * self.nights


@dataclass(frozen=True, slots=True, kw_only=True)
class NightFloor:
    """The smallest effect that any number of samples detects by look `nights`; `enough` is whether the required one is
    above it.
    """

    nights: int
    effect: float
    enough: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The designs. `alternatives` has the fewest samples first, then the fewest nights, then repeats; empty when none
    has the power. `floors` has one entry per look: where `enough` is False, no n helps and more nights are needed,
    after the change or before.
    """

    alternatives: tuple[Alternative, ...]
    floors: tuple[NightFloor, ...]


def plan(
    effect: float,
    noise: Noise,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline_nights: int = 14,
    looks: Sequence[int] = LOOKS,
    repeats: Sequence[int] = (1, 2, 3, 5),
    most_cases: int | None = None,
) -> Plan:
    """Return the set sizes and nights that detect an announced change of `effect` with the required power.

    Formula:   the night mean has variance s^2 = c / n + night, c = within / k + case by night. After m nights the score
               of the change is d / (s sqrt(1/B + 1/m)), B the baseline nights; detected when it reaches the boundary
               of its look (alpha / 2) at any look up to m. With r(m) the effect in units of s that is detected with
               the power: n = ceil(c / (d^2 / r(m)^2 - night)), and the floor of look m is r(m) sqrt(night).
    Range:     n >= 1. The night effect is a floor: below it no number of samples helps, only more nights.
    Direction: a smaller effect, alpha or a larger power needs more.
    Shapes:    scalars; effects are fractions in either direction (2 points are 0.02).
    Empty:     no alternative gives an empty tuple, and `floors` has the reason. `most_cases` leaves out larger sets.
    Smallest:  normal theory: trust n k from about 20 samples a night on, and a within variance that is not 0.
    Source:    Jennison and Turnbull, Group Sequential Methods (2000), chapters 2 and 19; the constant: see
               `boundaries`.
    Differs:   noise is taken as known; estimating the night variance from few nights costs some power.

    >>> noise = Noise(within_variance=0.08, night_variance=0.008**2)
    >>> answer = plan(0.02, noise, repeats=(1, 3))
    >>> answer.alternatives[0], answer.alternatives[0].samples
    (Alternative(n=831, k=1, nights=7), 5817)
    >>> [floor.nights for floor in answer.floors if not floor.enough]
    [1, 2]
    """
    _check(effect, noise, power, alpha, baseline_nights)
    needed = _effects_in_sd(power, alpha, baseline_nights, tuple(looks))
    deviation = math.sqrt(noise.night_variance)
    floors = tuple(
        NightFloor(nights=m, effect=r * deviation, enough=abs(effect) > r * deviation)
        for m, r in zip(looks, needed, strict=True)
    )
    found = [
        Alternative(n=n, k=k, nights=m)
        for m, r in zip(looks, needed, strict=True)
        for k in repeats
        if (n := _cases(abs(effect) / r, noise, k)) is not None and (most_cases is None or n <= most_cases)
    ]
    return Plan(alternatives=tuple(sorted(found, key=lambda a: (a.samples, a.nights, a.k))), floors=floors)


def detectable_effect(
    noise: Noise,
    *,
    n: int,
    k: int,
    nights: int,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline_nights: int = 14,
    looks: Sequence[int] = LOOKS,
) -> float:
    """Return the smallest announced change that n cases with k repeats per night detect within `nights`: the inverse of
    `plan`.

    >>> noise = Noise(within_variance=0.08, night_variance=0.008**2)
    >>> round(detectable_effect(noise, n=300, k=1, nights=7), 4)
    0.0287
    """
    _check(1.0, noise, power, alpha, baseline_nights)
    used = [look for look in looks if look <= nights]
    if n < 1 or k < 1 or not used:
        raise ValueError(
            f"at least one case, one repeat and one look are needed: {n} cases, {k} repeats, {nights} nights, "
            f"looks at {', '.join(map(str, looks))}"
        )
    needed = _effects_in_sd(power, alpha, baseline_nights, tuple(looks))[len(used) - 1]
    return needed * math.sqrt(noise.of_night_mean(n, k))


def _cases(deviation: float, noise: Noise, k: int) -> int | None:
    """Return the fewest cases whose night mean has at most this standard deviation; None if the night effect has
    more.
    """
    headroom = deviation**2 - noise.night_variance
    return max(1, math.ceil(noise.of_cell(k) / headroom - 1e-9)) if headroom > 0.0 else None


def _effects_in_sd(power: float, alpha: float, baseline_nights: int, looks: tuple[int, ...]) -> tuple[float, ...]:
    return steps_to_bounds(boundaries(alpha / 2.0, looks), baseline_nights, looks, power)


@lru_cache(maxsize=64)
def steps_to_bounds(
    bounds: tuple[float, ...], baseline_nights: int, looks: tuple[int, ...], power: float = 0.8
) -> tuple[float, ...]:
    """Return, per look, the step in standard deviations of a night's mean that reaches a bound by then.

    Formula:   the score after m nights is W with mean d sqrt(I_m), I_m = 1 / (1/B + 1/m); the density that has not
               crossed `bounds` yet is carried from look to look, and d solves P(not crossed by look m) = 1 - power.
    Shapes:    one bound a look; as many steps as looks.
    Source:    as `plan`.

    >>> first, second = steps_to_bounds((2.5, 2.5), 14, (1, 2))
    >>> round(first, 2), second < first
    (3.46, True)
    """
    information = [1.0 / (1.0 / baseline_nights + 1.0 / look) for look in looks]
    return tuple(_effect_for(power, *state) for state in _not_crossed(bounds, information))


def _effect_for(power: float, score: Floats, mass: Floats, information: float) -> float:
    """Return the effect with P(not crossed) = 1 - power. Under an effect r the mass at W is tilted by its
    likelihood.
    """
    level = score * math.sqrt(information)
    missed, found = 0.0, 40.0 / math.sqrt(information)
    for _ in range(HALVINGS):
        r = (missed + found) / 2.0
        if float(mass @ np.exp(r * level - 0.5 * r * r * information)) > 1.0 - power:
            missed = r
        else:
            found = r
    return found


def _not_crossed(bounds: Sequence[float], information: Sequence[float]) -> list[tuple[Floats, Floats, float]]:
    """Return, per look, the grid of scores below its boundary and the probability mass that has not crossed without a
    change.
    """
    score, weight = _grid(bounds[0])
    density = _normal(score)
    states = [(score, weight * density, information[0])]
    for (before, now), bound in zip(pairwise(information), bounds[1:], strict=True):
        kept, step = math.sqrt(before / now), math.sqrt((now - before) / now)
        ahead, ahead_weight = _grid(bound)
        density = _normal((ahead[:, None] - kept * score[None, :]) / step) @ (weight * density) / step
        score, weight = ahead, ahead_weight
        states.append((score, weight * density, now))
    return states


def _grid(bound: float) -> tuple[Floats, Floats]:
    """Return scores up to a boundary, and the weights of the trapezoid rule on them."""
    score = np.linspace(LOWEST, bound, POINTS)
    weight = np.full(POINTS, score[1] - score[0])
    weight[[0, -1]] /= 2.0
    return score, weight


def _normal(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi), dtype=np.float64)


def _check(effect: float, noise: Noise, power: float, alpha: float, baseline_nights: int) -> None:
    if not 0.0 < abs(effect) <= 1.0:
        raise ValueError(f"an effect must be a fraction between -1 and 1 and not 0 (2 points are 0.02), got {effect}")
    others = (noise.night_variance, noise.case_night_variance)
    if not (0.0 < noise.within_variance < math.inf and all(0.0 <= variance < math.inf for variance in others)):
        raise ValueError(
            f"a plan needs a within-case variance above 0 and a night variance of at least 0, got "
            f"{noise.within_variance} and {noise.night_variance} (of single cases {noise.case_night_variance})"
        )
    if not 0.5 <= power < 1.0:
        raise ValueError(f"power must be between 0.5 and 1, got {power}")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if baseline_nights < 1:
        raise ValueError(f"at least one night must precede the change, the baseline has {baseline_nights}")
