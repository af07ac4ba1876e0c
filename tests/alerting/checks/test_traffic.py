"""When the traffic of a deployment stopped, on simulated weeks."""

import numpy as np
import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.alerting.checks.traffic import WEEK, traffic_condition
from monitor.domain.check_policy import CheckPolicy

FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN
LONG_UP = 10_000.0


def history(weeks: int, calls_an_hour: float, *, days: float = 0.05, seed: int = 1) -> list[int]:
    """Return Poisson counts with a daily and weekly profile; `days` is the squared relative deviation of a day."""
    rng = np.random.default_rng(seed)
    hour, day = np.arange(WEEK) % 24, np.arange(WEEK) // 24
    shape = np.exp(1.3 * np.cos((hour - 14) / 24 * 2 * np.pi)) * np.where(day >= 5, 0.35, 1.0)
    level = np.repeat(rng.gamma(1 / days, days, weeks * 7), 24)
    return [int(n) for n in rng.poisson(np.tile(shape / shape.mean() * calls_an_hour, weeks) * level)]


def state(counts: list[int], uptime_h: float = LONG_UP) -> ConditionState:
    return traffic_condition("support", counts, uptime_h, CheckPolicy()).state


def test_half_a_year_of_usual_traffic_is_never_silent() -> None:
    counts = history(26, 20.0)
    states = {state(counts[end - 5 * WEEK : end]) for end in range(5 * WEEK, len(counts) + 1)}
    assert states == {CLEAR}


@pytest.mark.parametrize(("calls_an_hour", "within_h"), [(500.0, 2), (20.0, 12), (2.0, 30)])
def test_silence_is_found_sooner_the_more_calls_are_usual(calls_an_hour: float, within_h: int) -> None:
    counts = history(5, calls_an_hour)
    assert state([*counts, *[0] * within_h][-5 * WEEK :]) is FIRING


def test_a_deployment_with_few_calls_is_not_silent_in_one_night() -> None:
    assert state([*history(5, 0.2), *[0] * 24][-5 * WEEK :]) is CLEAR


def test_less_than_three_weeks_are_unknown() -> None:
    assert state(history(2, 100.0)) is UNKNOWN
    assert state([*history(3, 100.0), 0, 0]) is FIRING


def test_the_first_call_after_a_silence_clears() -> None:
    counts = [*history(5, 20.0), *[0] * 48][-5 * WEEK :]
    assert state(counts) is FIRING
    assert state([*counts[1:], 20]) is CLEAR


def test_driftd_does_not_take_its_own_downtime_for_a_silence() -> None:
    counts = [*history(5, 500.0), *[0] * 10][-5 * WEEK :]
    assert (state(counts, uptime_h=0.5), state(counts, uptime_h=1.0)) == (UNKNOWN, FIRING)


def test_an_hour_that_was_silent_before_is_no_reference() -> None:
    counts = history(5, 500.0)
    end = len(counts)
    for week in (1, 2):
        counts[end - week * WEEK - 3 : end - week * WEEK + 3] = [0] * 6
    assert state([*counts, 0, 0][-5 * WEEK :]) is CLEAR


def test_the_sentence_has_the_figures_and_the_command() -> None:
    found = traffic_condition("support", [*history(5, 500.0), 0, 0], LONG_UP, CheckPolicy())
    for part in ("sent 0 calls in the last 1 complete hours", "on average", "limit 8e-06", "driftd db info"):
        assert part in found.reason
