import math
from typing import Any

import numpy as np
import pytest

from monitor.stats.change_point.series import monitor_series


def test_chance_alone_alarms_at_most_as_often_as_allowed() -> None:
    alarms = 0
    for run in range(300):
        z = np.random.default_rng([run, 7]).normal(size=28 + 180)
        alarms += monitor_series(z, baseline=28, alpha=0.05, horizon=180, worse="either").alarm is not None
    assert alarms / 300 <= 0.05


def test_the_spread_of_the_series_does_not_matter() -> None:
    z = np.random.default_rng(1).normal(size=80) + np.where(np.arange(80) >= 60, 2.5, 0.0)
    one, ten = (monitor_series(scale * z, baseline=28, alpha=0.05, horizon=180) for scale in (1.0, 10.0))
    assert one.alarm is not None
    assert (one.alarm, one.onset) == (ten.alarm, ten.onset)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_either_direction_is_found_and_named(sign: float) -> None:
    z = np.random.default_rng(1).normal(size=80) + sign * np.where(np.arange(80) >= 60, 3.0, 0.0)
    watch = monitor_series(z, baseline=28, alpha=0.05, horizon=180, worse="either")
    assert watch.rose is (sign > 0)
    assert watch.onset == pytest.approx(60, abs=2)


def test_the_alarm_is_known_from_the_nights_until_then() -> None:
    z = np.random.default_rng(2).normal(size=80) + np.where(np.arange(80) >= 60, 3.0, 0.0)
    whole = monitor_series(z, baseline=28, alpha=0.05, horizon=180)
    assert whole.alarm is not None
    part = monitor_series(z[: whole.alarm + 1], baseline=28, alpha=0.05, horizon=180)
    assert (part.alarm, part.onset) == (whole.alarm, whole.onset)
    assert part.log_e[whole.alarm] >= part.log_threshold == pytest.approx(math.log(3600))


def test_the_baseline_never_alarms() -> None:
    z = np.where(np.arange(40) >= 20, 30.0, 0.1)
    watch = monitor_series(z, baseline=40, alpha=0.05, horizon=180)
    assert watch.alarm is None
    assert np.isneginf(watch.log_e).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"baseline": 0}, "the baseline has 0"),
        ({"alpha": 0.0}, "alpha must be between 0 and 1"),
        ({"alpha": 1.0}, "alpha must be between 0 and 1"),
        ({"horizon": 0}, "horizon must be at least 1 night"),
    ],
)
def test_impossible_plans_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        monitor_series(np.zeros(5), **{"baseline": 2, "alpha": 0.05, "horizon": 180, **arguments})
