"""A fall as large as a verdict could see is found four times in five, in its situation and within its nights."""

import numpy as np
import pytest
from numpy.typing import NDArray

from monitor.domain.detectable import DetectableEffect
from monitor.drift.detect.detectable import set_effects, unannounced_effects
from monitor.drift.detect.detector import detect_alerts
from monitor.drift.detect.history import History
from monitor.drift.detect.window import Window
from monitor.stats.night_tally import NightTally

BEFORE, CASES, HISTORIES = 20, 100, 60
Floats = NDArray[np.float64]


def history(passes: Floats, *, announced: bool = False, names: int = 4) -> History:
    after = passes.shape[0] - BEFORE
    return History(
        id="support/primes",
        categories=tuple(f"part-{i % names}" for i in range(passes.shape[1])),
        versions=("A",) * BEFORE + ("B" if announced else "A",) * after,
        judges=("judge",) * len(passes),
        tally=NightTally.of_passes(passes, np.ones_like(passes)),
        failures={},
        baseline_nights=14,
        alpha=0.05,
        horizon=180,
    )


def effects(past: History) -> dict[tuple[str, int], DetectableEffect]:
    whole = Window(start=0, end=past.nights)
    return {
        (each.scenario, each.nights): each for each in set_effects(past, whole, whole, candidate_onsets=BEFORE - 14)
    }


@pytest.mark.parametrize(("situation", "nights"), [("silent", 1), ("silent", 7), ("announced", 1), ("announced", 7)])
@pytest.mark.parametrize("beta", [(3.0, 0.6), (19.0, 0.6)], ids=["usual", "nearly perfect"])
def test_the_fall_that_it_could_see_is_found_four_times_in_five(
    situation: str, nights: int, beta: tuple[float, float]
) -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(HISTORIES):
        rates = rng.beta(*beta, size=CASES)
        past = (rng.random((BEFORE, CASES)) < rates).astype(np.float64)
        fall = effects(history(past))[situation, nights].effect
        kept = max(1.0 - fall / rates.mean(), 0.0)
        fallen = (rng.random((nights, CASES)) < rates * kept).astype(np.float64)
        reported = detect_alerts(history(np.concatenate([past, fallen]), announced=situation == "announced"))
        found += any(alert.kind == "score" and alert.night >= BEFORE for alert in reported)
    assert 0.68 * HISTORIES <= found <= 0.97 * HISTORIES, f"{found} of {HISTORIES}"


def test_announced_falls_and_longer_horizons_detect_smaller_falls() -> None:
    rng = np.random.default_rng(5)
    found = effects(history((rng.random((BEFORE, 300)) < rng.beta(3.0, 0.6, size=300)).astype(np.float64)))
    assert found["announced", 7].effect < found["announced", 1].effect < found["silent", 1].effect
    assert found["announced", 7].effect < found["silent", 7].effect < found["silent", 1].effect


def test_nights_that_differ_more_hide_larger_falls() -> None:
    rng = np.random.default_rng(6)
    rates = rng.beta(3.0, 0.6, size=600)
    moods = np.clip(rates + 0.04 * rng.standard_normal((BEFORE, 1)), 0.0, 1.0)
    draws = rng.random((BEFORE, 600))
    steady, moody = (effects(history((draws < each).astype(np.float64))) for each in (rates, moods))
    for key, each in steady.items():
        assert moody[key].effect > 1.2 * each.effect


def test_a_category_shows_only_larger_falls_than_the_whole_set() -> None:
    rng = np.random.default_rng(7)
    past = history((rng.random((BEFORE, 400)) < rng.beta(3.0, 0.6, size=400)).astype(np.float64))
    whole = Window(start=0, end=BEFORE)
    every, part = (unannounced_effects(past, whole, name, candidate_onsets=6) for name in ("overall", "part-1"))
    assert part[0].effect > every[0].effect
    assert part[1].effect > every[1].effect


def test_nights_that_are_not_monitored_yet_promise_nothing_silent() -> None:
    past = history((np.random.default_rng(8).random((BEFORE, CASES)) < 0.8).astype(np.float64))
    early = Window(start=0, end=10)
    assert {each.scenario for each in set_effects(past, early, early, candidate_onsets=-4)} == {"announced"}
    assert set_effects(past, Window(start=0, end=1), Window(start=0, end=1), candidate_onsets=0) == ()
