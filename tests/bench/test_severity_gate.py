"""The simulation of the severity gate agrees with the exact probabilities where they have a formula."""

from math import comb
from random import Random

import pytest

from bench.severity_gate import CRITICAL, delay, false_alarm_rate

NIGHTS = 1500


def exact(rate: float, samples: int, needed: int) -> float:
    """Return the probability that a night alerts, from the binomial distribution."""
    at_least = sum(comb(samples, k) * rate**k * (1 - rate) ** (samples - k) for k in range(needed, samples + 1))
    one = (1 - rate) ** samples * (at_least if samples >= needed else rate**needed)
    return 1 - (1 - one) ** CRITICAL


@pytest.mark.parametrize(("samples", "needed"), [(1, 2), (1, 3), (3, 2)])
def test_the_measured_rate_is_the_exact_one(samples: int, needed: int) -> None:
    expected = exact(0.1, samples, needed)
    deviation = (expected * (1 - expected) / NIGHTS) ** 0.5
    assert false_alarm_rate(Random(1), 0.1, samples, needed, NIGHTS) == pytest.approx(expected, abs=4 * deviation)


def test_a_case_that_always_fails_alerts_the_same_night() -> None:
    assert delay(Random(1), 1.0, 1, 2) == 1
