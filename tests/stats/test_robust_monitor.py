import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from monitor.stats.change_point.robust_monitor import daily_log_level, monitor_level, robust_z

WEEK = np.log(np.array([1.5, 1.3, 1.1, 1.0, 0.9, 0.7, 0.5]))
levels = st.lists(st.floats(-5, 5) | st.just(float("nan")), min_size=1, max_size=40)


def _levels(rng: np.random.Generator, nights: int, *, heavy: bool) -> np.ndarray:
    """Daily log levels with a weekly pattern of +/-50 % and a day-to-day spread of 5 %."""
    noise = rng.standard_t(3, size=nights) if heavy else rng.normal(size=nights)
    return np.asarray(6.5 + WEEK[np.arange(nights) % 7] + 0.05 * noise)


def test_the_level_of_a_day_is_one_of_its_values() -> None:
    day = np.arange(1.0, 101.0)
    assert np.exp(daily_log_level([day], 0.5))[0] == pytest.approx(50)
    assert np.exp(daily_log_level([day], 0.95))[0] == pytest.approx(95)


def test_unknown_values_are_left_out_and_thin_or_free_days_have_no_level() -> None:
    day = np.array([1.0] * 20 + [np.nan] * 5)
    thin, free = np.array([1.0] * 19 + [np.nan] * 5), np.zeros(30)
    assert np.isnan(daily_log_level([day, thin, free], 0.5)).tolist() == [False, True, True]


@pytest.mark.parametrize("heavy", [False, True])
def test_an_unchanged_level_is_nearly_standard_normal_and_independent(heavy: bool) -> None:
    rng = np.random.default_rng([1, heavy])
    z = robust_z(_levels(rng, 700, heavy=heavy), np.arange(700) % 7, rng.random(700))[7:]
    assert kstest(z, "norm").pvalue > 0.01
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 3 / np.sqrt(z.size)
    assert abs(np.corrcoef(z[:-7], z[7:])[0, 1]) < 3 / np.sqrt(z.size)


@pytest.mark.parametrize("heavy", [False, True])
def test_half_a_year_of_an_unchanged_level_is_quiet(heavy: bool) -> None:
    alarms = 0
    for run in range(100):
        rng = np.random.default_rng([run, 3])
        level = _levels(rng, 208, heavy=heavy)
        alarms += monitor_level(level, np.arange(208) % 7, rng.random(208), baseline=28).alarm is not None
    assert alarms / 100 <= 0.05


@pytest.mark.parametrize("heavy", [False, True])
def test_a_shift_of_a_fifth_is_reported_within_nine_days(heavy: bool) -> None:
    delays = []
    for run in range(40):
        rng = np.random.default_rng([run, 4])
        level = _levels(rng, 90, heavy=heavy) + np.where(np.arange(90) >= 60, np.log(1.2), 0.0)
        watch = monitor_level(level, np.arange(90) % 7, rng.random(90), baseline=28)
        delays.append(99 if watch.alarm is None else watch.alarm - 59)
    assert np.median(delays) <= 9


def test_one_wild_day_is_no_alarm_even_at_a_hundred_times_the_level() -> None:
    for run in range(40):
        rng = np.random.default_rng([run, 5])
        level = _levels(rng, 90, heavy=False)
        level[60] += np.log(100)
        assert monitor_level(level, np.arange(90) % 7, rng.random(90), baseline=28).alarm is None


def test_a_fall_is_detected_where_it_is_the_bad_direction() -> None:
    rng = np.random.default_rng(6)
    level = _levels(rng, 90, heavy=False) - np.where(np.arange(90) >= 60, 0.4, 0.0)
    uniforms = rng.random(90)
    assert monitor_level(level, np.arange(90) % 7, uniforms, baseline=28).alarm is None
    assert monitor_level(level, np.arange(90) % 7, uniforms, baseline=28, worse="down").onset == pytest.approx(
        60, abs=2
    )


@given(levels)
def test_units_do_not_matter(level: list[float]) -> None:
    values = np.round(np.array(level), 3)
    stratum, uniforms = np.zeros(len(level), dtype=np.int64), np.full(len(level), 0.5)
    here = robust_z(values, stratum, uniforms)
    there = robust_z(8.0 * values, stratum, uniforms)  # a power of two, so that ties stay ties
    np.testing.assert_array_equal(here, there)


@given(levels, st.integers(0, 39))
def test_later_nights_change_nothing_and_unknown_nights_leave_no_trace(level: list[float], cut: int) -> None:
    values, uniforms = np.array(level), np.linspace(0.1, 0.9, len(level))
    stratum = np.zeros(len(level), dtype=np.int64)
    whole = robust_z(values, stratum, uniforms)
    np.testing.assert_array_equal(whole[:cut], robust_z(values[:cut], stratum[:cut], uniforms[:cut]))
    known = ~np.isnan(values)
    np.testing.assert_array_equal(whole[known], robust_z(values[known], stratum[known], uniforms[known]))


def test_a_night_above_all_others_has_the_highest_rank() -> None:
    level = np.array([1.0, 1.1, 0.9, 1.0, 9.0])
    z = robust_z(level, np.zeros(5, dtype=np.int64), np.full(5, 0.5))
    assert z[4] == pytest.approx(norm.ppf(3.5 / 4))


def test_wrong_input_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"must not be negative, got -1\.0"):
        daily_log_level([np.full(20, -1.0)], 0.5)
    with pytest.raises(ValueError, match="a quantile must be between 0 and 1"):
        daily_log_level([np.ones(20)], 1.0)
    with pytest.raises(ValueError, match="2 levels, 1 strata, 2 uniforms"):
        robust_z(np.zeros(2), np.zeros(1, dtype=np.int64), np.zeros(2))
    with pytest.raises(ValueError, match="uniforms must be between 0 and 1"):
        robust_z(np.zeros(1), np.zeros(1, dtype=np.int64), np.full(1, 2.0))
