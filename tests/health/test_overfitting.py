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
    assert found.expected == pytest.approx(0.06 * (0.22 / 0.38 - 1))


def test_a_case_that_some_runs_did_not_score_is_read_from_the_others() -> None:
    scores = nights(0.6, 0.9)
    scores[0, :] = np.nan
    scores[::3, 5] = np.nan
    assert overfitting_of(scores, corrected(0.05), corrected(0.05)).trend is Trend.OVERFITTING


def test_newcombes_interval_turns_round_with_its_sides() -> None:
    one, two = Corrected(calls=70, corrected=56), Corrected(calls=80, corrected=48)
    there, back = newcombe_interval(one, two), newcombe_interval(two, one)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def collapse(rng: np.random.Generator, runs: int, collapsed: int) -> np.ndarray:
    """The recorded change: primes fall from 97.6 % to 2.4 %, composites rise from 70.4 % to 98.0 %."""
    prime = np.arange(400) < 202
    before, after = np.where(prime, 0.976, 0.704), np.where(prime, 0.024, 0.98)
    rates = np.where(np.arange(runs)[:, None] < runs - collapsed, before, after)
    return (rng.random((runs, 400)) < rates).astype(float)


def test_a_collapse_is_never_called_overfitting() -> None:
    """Any number of runs, any number of them since the collapse, corrections that did not fall."""
    rng = np.random.default_rng(20261120)
    claims: list[Trend] = []
    rises: list[float] = []
    for _ in range(100):
        runs = int(rng.integers(6, 15))
        found = overfitting_of(
            collapse(rng, runs, int(rng.integers(1, runs // 3 + 1))), corrected(0.04, 1_000), corrected(0.06, 1_000)
        )
        claims.append(found.trend)
        assert found.rise is not None
        rises.append(found.rise)
    assert set(claims) == {Trend.NO_RISE}
    assert max(rises) < -0.05, "the set fell, and is not said to have risen"


def test_one_good_run_of_two_is_half_a_pass() -> None:
    scores = np.zeros((6, 40))
    scores[4] = 1.0
    found = overfitting_of(scores, corrected(0.05), corrected(0.05))
    assert found.rise == 0.5
    assert found.trend is Trend.NO_RISE, "the newest run is as bad as the first ones"


def test_a_set_that_rose_and_then_collapsed_has_not_risen() -> None:
    scores = nights(0.5, 0.95)
    scores[-1] = nights(0.4, 0.4)[0]
    found = overfitting_of(scores, corrected(0.05), corrected(0.05))
    assert found.rise is not None
    assert found.rise > 0.15
    assert found.trend is Trend.NO_RISE


def test_a_set_that_rises_alone_with_noise_is_still_found() -> None:
    rng = np.random.default_rng(5)
    rates = np.linspace(0.6, 0.9, 12)[:, None] + rng.normal(0.0, 0.1, 200)
    found = [
        overfitting_of((rng.random((12, 200)) < rates).astype(float), corrected(0.05), corrected(0.05)).trend
        for _ in range(50)
    ]
    assert found.count(Trend.OVERFITTING) >= 49
