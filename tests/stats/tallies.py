"""Nights of simulated cases, for the tests of the evidence over nights."""

import numpy as np
from numpy.typing import NDArray

from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]


def pass_rates(rng: np.random.Generator, cases: int) -> Floats:
    """Some cases nearly always pass, some nearly never, as in real sets."""
    return rng.beta(1.2, 0.4, size=cases)


def outcomes(rng: np.random.Generator, rates: Floats, nights: int, samples: int = 1) -> Floats:
    """Scores of 0 and 1, [nights, cases, samples]."""
    return (rng.random((nights, rates.size, samples)) < rates[:, None]).astype(np.float64)


def passing_nights(rng: np.random.Generator, rates: Floats, nights: int, samples: int = 1) -> NightTally:
    return NightTally.of_values(outcomes(rng, rates, nights, samples))


def everyone(cases: int) -> Floats:
    """One channel that holds all cases."""
    return np.ones((cases, 1))
