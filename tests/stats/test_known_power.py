"""The score that the looks after a known change find, against simulated nights."""

import numpy as np
import pytest

from monitor.stats.studentise import normal_score_of_t
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries
from monitor.stats.two_versions.known_change import NightSpread, shrunk_spread
from monitor.stats.two_versions.known_power import score_found

BEFORE = 20


def steady(square: float = 1.0) -> NightSpread:
    return NightSpread(square=np.array([square]), nights=np.array([BEFORE - 1.0]))


@pytest.mark.parametrize(("square", "last"), [(1.0, 1), (1.0, 7), (3.0, 1), (3.0, 7)])
def test_a_step_with_that_score_is_found_four_times_in_five(square: float, last: int) -> None:
    looks = [look for look in LOOKS if look <= last]
    bounds = boundaries(0.025)[: len(looks)]
    score = score_found(bounds, looks, steady(square), BEFORE)
    step = score * np.sqrt(1.0 / BEFORE + 1.0 / last)
    rng = np.random.default_rng(8)
    before = rng.standard_normal((4000, BEFORE)).mean(axis=1) * np.sqrt(square)
    nights = step + rng.standard_normal((4000, last)) * np.sqrt(square)
    found = np.zeros(4000, dtype=bool)
    for bound, look in zip(bounds, looks, strict=True):
        known = shrunk_spread(NightSpread(square=np.array([square]), nights=np.array([BEFORE - 1.0 + look])))
        z = (nights[:, :look].mean(axis=1) - before) / np.sqrt(1.0 / BEFORE + 1.0 / look) / np.sqrt(known.square[0])
        found |= normal_score_of_t(z, np.full(4000, known.nights[0])) >= bound
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_nights_that_vary_more_ask_for_more() -> None:
    assert score_found([2.6], [1], steady(4.0), BEFORE) > 1.5 * score_found([2.6], [1], steady(), BEFORE)
