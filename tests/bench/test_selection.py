"""The quantiles in the package are those that its templates give."""

import numpy as np
import pytest

from bench.drift_study.selection import errors
from monitor.stats.change_point.alarm_quantiles import DROPS, HIGH, LEVELS, LOW
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE, Mixture

ONLY_LARGE = Mixture(steps=((4.0, 1.0),), ramps=())


def worst(mixtures: tuple[Mixture, ...], drop: float, level: float) -> tuple[float, float]:
    ends = [errors(drop, (level,), mixture, paths=900, seed=5)[0].acceptance() for mixture in mixtures]
    return min(low for low, _ in ends), max(high for _, high in ends)


@pytest.mark.parametrize(("drop", "level"), [(0.5, 8.0), (1.0, 8.0), (2.0, 11.0), (4.0, 8.0)])
def test_a_shorter_simulation_gives_the_same_quantiles(drop: float, level: float) -> None:
    row, column = LEVELS.index(level), DROPS.index(drop)
    low, high = worst((WHOLE, PART), drop, level)
    assert low == pytest.approx(LOW[row][column], abs=0.5)
    assert high == pytest.approx(HIGH[row][column], abs=0.3)


def test_other_templates_have_other_quantiles() -> None:
    _, high = worst((ONLY_LARGE,), 1.0, 8.0)
    assert high > HIGH[LEVELS.index(8.0)][DROPS.index(1.0)] + 0.3


def test_rare_alarms_have_importance_weights() -> None:
    """At a level that is reached often, alarms of paths with help and without say the same."""
    found = errors(0.0, (3.0,), WHOLE, paths=900, seed=5)[0]
    plain = found.weight > np.median(found.weight)
    assert 0.3 < plain.mean() < 0.7
    assert found.acceptance()[1] < HIGH[0][0]
