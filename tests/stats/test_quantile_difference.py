"""The interval of the difference of a quantile: its coverage, its width and its limits."""

import numpy as np
import pytest

from monitor.stats.quantile_difference import quantile_difference


def test_nine_of_ten_intervals_or_more_contain_no_change() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        found = quantile_difference(rng.exponential(size=150), rng.exponential(size=150), 0.5, rng)
        hits += found.low <= 0.0 <= found.high
    assert 180 <= hits <= 200


def test_the_draws_agree_with_resampling_the_values() -> None:
    rng = np.random.default_rng(7)
    before, after = rng.exponential(size=80), 1.0 + rng.exponential(size=120)
    found = quantile_difference(before, after, 0.95, rng)
    resampled = [np.sort(rng.choice(after, 120))[113] - np.sort(rng.choice(before, 80))[75] for _ in range(4_000)]
    low, high = np.quantile(resampled, (0.025, 0.975))
    assert found.low == pytest.approx(low, abs=0.25)
    assert found.high == pytest.approx(high, abs=0.25)


def test_single_answers_have_an_interval_without_width() -> None:
    found = quantile_difference(np.array([2.0]), np.array([5.0]), 0.5, np.random.default_rng(1))
    assert (found.difference, found.low, found.high) == (3.0, 3.0, 3.0)
