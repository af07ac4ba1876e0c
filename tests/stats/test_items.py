import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.items import item_statistics

NAN = np.nan
histories = arrays(
    np.float64, st.tuples(st.integers(1, 14), st.integers(1, 6)), elements=st.sampled_from([0.0, 0.25, 1.0, NAN])
)


def _world(seed: int, versions: int, n: int) -> np.ndarray:
    """Pass or fail of cases whose difficulty and slope differ, by versions whose skill does; case 0 is upside down."""
    rng = np.random.default_rng(seed)
    skill, hardness, slope = rng.normal(size=versions), rng.normal(size=n), np.full(n, 2.0)
    slope[0], slope[1] = -2.0, 0.0
    chance = 1 / (1 + np.exp(-slope * (skill[:, None] - hardness)))
    return (rng.random((versions, n)) < chance).astype(float)


@given(histories)
def test_discrimination_is_pearsons_correlation_with_the_mean_of_the_others(scores: np.ndarray) -> None:
    items = item_statistics(scores, fewest=4)
    for case in range(scores.shape[1]):
        rows = [row for row in scores if not np.isnan(row[case])]
        pairs = [(row[case], np.delete(row, case)) for row in rows if (~np.isnan(np.delete(row, case))).any()]
        x, y = np.array([a for a, _ in pairs]), np.array([np.nanmean(rest) for _, rest in pairs])
        if len(rows) < 4 or x.size < 2 or np.ptp(x) < 1e-5 or np.ptp(y) < 1e-5:
            assert np.isnan(items.discrimination[case])
        else:
            assert items.discrimination[case] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)


def test_a_case_that_better_versions_fail_has_a_negative_discrimination_and_noise_has_none() -> None:
    items = item_statistics(_world(1, 60, 80))
    assert items.discrimination_high[0] < 0
    assert items.discrimination_low[1] < 0 < items.discrimination_high[1]
    assert np.median(items.discrimination[2:]) > 0.3


def test_the_interval_of_the_discrimination_covers_its_long_run_value() -> None:
    truth = item_statistics(_world(2, 4000, 40)).discrimination
    rng, whole = np.random.default_rng(3), _world(2, 4000, 40)
    covered: list[bool] = []
    for _ in range(100):
        items = item_statistics(whole[rng.choice(4000, 30, replace=False)])
        known = ~np.isnan(items.discrimination)
        covered.extend(((items.discrimination_low <= truth) & (truth <= items.discrimination_high))[known])
    assert 0.92 <= np.mean(covered) <= 0.99


def test_eight_versions_give_wide_intervals() -> None:
    half = 1.959964 / np.sqrt(5)
    assert np.tanh(np.arctanh(0.7) - half) == pytest.approx(0.0, abs=0.01)
    assert np.tanh(np.arctanh(0.7) + half) == pytest.approx(0.94, abs=0.005)


def test_the_pass_rate_has_wilsons_interval() -> None:
    scores = np.zeros((10, 2))
    scores[:3, 0] = 1.0
    items = item_statistics(scores)
    assert items.pass_rate.tolist() == [0.3, 0.0]
    assert (items.pass_rate_low[0], items.pass_rate_high[0]) == pytest.approx((0.1078, 0.6032), abs=5e-5)
    assert items.pass_rate_low[1] == 0.0
    assert items.pass_rate_high[1] == pytest.approx(0.2775, abs=5e-5)


def test_cases_that_never_separate_are_counted_among_cases_with_two_versions() -> None:
    scores = np.array([[1.0, 0.0, 1.0, NAN], [1.0, 0.0, 0.0, NAN], [1.0, NAN, 1.0, 1.0]])
    items = item_statistics(scores)
    assert items.never_separates.tolist() == [True, True, False, True]
    assert items.share_never_separating == pytest.approx(2 / 3)


def test_too_few_versions_leave_discrimination_open_and_not_zero() -> None:
    items = item_statistics(_world(4, 7, 20))
    assert np.isnan(items.discrimination).all()
    assert np.isnan(items.discrimination_low).all()


def test_nothing_scored_is_nothing_known() -> None:
    items = item_statistics(np.full((3, 2), NAN))
    assert np.isnan(items.pass_rate).all()
    assert not items.never_separates.any()
    assert items.share_never_separating is None
    assert item_statistics(np.zeros((0, 2))).versions.tolist() == [0, 0]


@given(histories)
def test_every_interval_holds_its_number(scores: np.ndarray) -> None:
    items = item_statistics(scores, fewest=4)
    known = ~np.isnan(items.pass_rate)
    assert (items.pass_rate_low[known] <= items.pass_rate[known] + 1e-12).all()
    assert (items.pass_rate[known] <= items.pass_rate_high[known] + 1e-12).all()
    known = ~np.isnan(items.discrimination)
    assert (items.discrimination_low[known] <= items.discrimination[known] + 1e-9).all()
    assert (items.discrimination[known] <= items.discrimination_high[known] + 1e-9).all()


def test_wrong_input_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"scores must have the shape \[versions, cases\]"):
        item_statistics(np.zeros(3))
    with pytest.raises(ValueError, match="scores must be between 0 and 1"):
        item_statistics(np.full((2, 2), 3.0))
    with pytest.raises(ValueError, match="confidence level must be between 0 and 1"):
        item_statistics(np.zeros((2, 2)), level=95.0)
    with pytest.raises(ValueError, match="from 4 versions on, got fewest = 3"):
        item_statistics(np.zeros((2, 2)), fewest=3)
