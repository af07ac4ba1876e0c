import numpy as np
import pytest

from monitor.health.overfitting import Corrected, Trend, newcombe_interval, overfitting_of

CASES = 100


def nights(first: float, last: float, runs: int = 12) -> np.ndarray:
    """Runs whose pass rate goes from one to the other, the same cases passing first."""
    rates = np.linspace(first, last, runs)
    return np.array([[float(n < round(rate * CASES)) for n in range(CASES)] for rate in rates])


def corrected(share: float, calls: int = 4_000) -> Corrected:
    return Corrected(calls=calls, corrected=round(share * calls))


@pytest.mark.parametrize(
    ("scores", "first", "last", "trend"),
    [
        (nights(0.6, 0.9), corrected(0.05), corrected(0.05), Trend.OVERFITTING),
        (nights(0.6, 0.9), corrected(0.05), corrected(0.06), Trend.OVERFITTING),
        (nights(0.6, 0.9), corrected(0.05), corrected(0.02), Trend.FELL_TOO),
        (nights(0.6, 0.9), corrected(0.05, 100), corrected(0.05, 100), Trend.OPEN),
        (nights(0.8, 0.8), corrected(0.05), corrected(0.09), Trend.NO_RISE),
        (nights(0.9, 0.6), corrected(0.05), corrected(0.05), Trend.NO_RISE),
        (nights(0.6, 0.9), corrected(0.05, 0), corrected(0.05), Trend.NO_DATA),
        (nights(0.6, 0.9, runs=5), corrected(0.05), corrected(0.05), Trend.NO_DATA),
        (nights(0.6, 0.9)[:, :19], corrected(0.05), corrected(0.05), Trend.NO_DATA),
    ],
)
def test_a_set_that_rises_alone_is_probably_overfitted(
    scores: np.ndarray,
    first: Corrected,
    last: Corrected,
    trend: Trend,
) -> None:
    assert overfitting_of(scores, first, last).trend is trend


def test_the_corrections_that_would_fit_follow_the_fails_of_the_set() -> None:
    found = overfitting_of(nights(0.6, 0.8, runs=6), corrected(0.06), corrected(0.06))
    assert found.rise == pytest.approx(0.16)
    assert found.expected == pytest.approx(0.06 * (0.20 / 0.36 - 1))


def test_a_case_that_some_runs_did_not_score_is_read_from_the_others() -> None:
    scores = nights(0.6, 0.9)
    scores[0, :] = np.nan
    scores[::3, 5] = np.nan
    assert overfitting_of(scores, corrected(0.05), corrected(0.05)).trend is Trend.OVERFITTING


def test_newcombes_interval_turns_round_with_its_sides() -> None:
    one, two = Corrected(calls=70, corrected=56), Corrected(calls=80, corrected=48)
    there, back = newcombe_interval(one, two), newcombe_interval(two, one)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
