"""The cases of a world: their categories, how likely each is to pass, and what a new version makes of that."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHARES = (0.20, 0.16, 0.13, 0.11, 0.10, 0.08, 0.07, 0.06, 0.05, 0.04)  # of the ten categories
MEANS = (0.62, 0.96)  # pass rate of a model
INTRACLASS = 0.6  # share of the outcomes' variance that is between cases, where a cell says nothing else
RANK_CORRELATIONS = (0.24, 0.74)  # of difficulty between two versions
EDGE = 1e-6  # probabilities stay this far from 0 and 1, so that log-odds exist

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """`difficulty` is what versions share: a standard normal score a case, high where it is easy."""

    category: Ints
    difficulty: Floats
    passing: Floats
    mean: float
    intraclass: float = INTRACLASS

    @property
    def n(self) -> int:
        return len(self.category)


def draw_cases(
    n: int,
    rng: np.random.Generator,
    *,
    means: tuple[float, float] = MEANS,
    intraclass: float = INTRACLASS,
    among: int = len(SHARES),
) -> Cases:
    """`n` cases of one model: its mean uniform in `means`, each case's probability Beta around it.

    A Beta(a, b) with a + b = 1/rho - 1 gives outcomes the intraclass correlation rho.
    """
    mean = float(rng.uniform(*means))
    difficulty = rng.standard_normal(n)
    return Cases(
        category=categories(n, among),
        difficulty=difficulty,
        passing=passing_at(difficulty, mean, intraclass),
        mean=mean,
        intraclass=intraclass,
    )


def categories(n: int, among: int = len(SHARES)) -> Ints:
    """The category of each case, from 0; the first `among` of SHARES give the proportions."""
    shares = np.array(SHARES[:among])
    if among < len(SHARES):
        shares /= shares.sum()
    ends = np.rint(np.cumsum(shares) * n).astype(np.int64)
    return np.searchsorted(ends, np.arange(n), side="right").astype(np.int64)


def passing_at(difficulty: Floats, mean: float, intraclass: float = INTRACLASS) -> Floats:
    """The probabilities a model of that mean has on cases of that difficulty.

    With an intraclass correlation of 1 the Beta is two points: every probability is exactly 0 or 1. A mean of 1 gives
    every case the largest probability that has log-odds.
    """
    from scipy.special import betaincinv, ndtr

    if mean >= 1.0:
        return np.full(len(difficulty), 1.0 - EDGE)
    if intraclass >= 1.0:
        return np.asarray(ndtr(difficulty) > 1.0 - mean, dtype=np.float64)
    concentration = 1.0 / intraclass - 1.0
    drawn = betaincinv(mean * concentration, (1.0 - mean) * concentration, ndtr(difficulty))
    return np.clip(np.asarray(drawn, dtype=np.float64), EDGE, 1.0 - EDGE)


def redrawn(cases: Cases, rng: np.random.Generator, ranks: tuple[float, float] = RANK_CORRELATIONS) -> Floats:
    """What another version of the same strength passes: difficulty is shared in part, by a Gaussian copula."""
    rank = float(rng.uniform(*ranks))
    shared = 2.0 * np.sin(np.pi * rank / 6.0)  # Pearson's correlation of normals whose rank correlation is `rank`
    own = rng.standard_normal(cases.n)
    return passing_at(shared * cases.difficulty + np.sqrt(1.0 - shared**2) * own, cases.mean, cases.intraclass)


def with_mean(passing: Floats, target: float) -> Floats:
    """The probabilities moved by one common amount of log-odds, so that their mean is `target` exactly.

    >>> moved = with_mean(np.array([0.2, 0.9, 0.999]), 0.5)
    >>> round(float(moved.mean()), 9)
    0.5
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    if not 0.0 < target < 1.0:
        raise ValueError(f"a mean pass rate lies between 0 and 1, this one should be {target}")
    odds = logit(passing)
    shift = brentq(lambda by: float(expit(odds + by).mean()) - target, -60.0, 60.0, xtol=1e-13)
    return np.asarray(expit(odds + shift), dtype=np.float64)
