import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, kstest, norm

from monitor.stats.change_point.rate_monitor import monitor_rate, rate_z


@st.composite
def months(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    trials = draw(st.lists(st.integers(0, 60), min_size=2, max_size=40))
    events = [draw(st.integers(0, m)) for m in trials]
    return np.array(events), np.array(trials)


def test_the_z_is_the_hypergeometric_transform_of_the_night_given_the_total_so_far() -> None:
    z = rate_z(np.array([10, 14]), np.array([200, 100]), np.array([0, 0]), np.array([0.5, 0.25]))
    expected = hypergeom.cdf(13, 300, 24, 100) + 0.25 * hypergeom.pmf(14, 300, 24, 100)
    assert z[1] == pytest.approx(norm.ppf(expected), abs=1e-9)


def test_the_first_night_of_every_stratum_and_nights_without_trials_say_nothing() -> None:
    z = rate_z(np.array([1, 2, 0, 3, 2]), np.array([9, 9, 0, 9, 9]), np.array([0, 1, 0, 0, 1]), np.full(5, 0.5))
    assert np.isnan(z).tolist() == [True, True, True, False, False]


def test_a_night_without_trials_leaves_no_trace() -> None:
    with_gap = rate_z(np.array([4, 0, 9]), np.array([90, 0, 90]), np.zeros(3, dtype=np.int64), np.full(3, 0.5))
    without = rate_z(np.array([4, 9]), np.array([90, 90]), np.zeros(2, dtype=np.int64), np.full(2, 0.5))
    assert with_gap[2] == without[1]


def test_a_series_that_never_had_an_event_is_pure_chance() -> None:
    uniforms = np.array([0.1, 0.4, 0.9])
    z = rate_z(np.zeros(3, dtype=np.int64), np.full(3, 500), np.zeros(3, dtype=np.int64), uniforms)
    assert z[1:] == pytest.approx(norm.ppf(uniforms[1:]), abs=1e-9)


def test_an_outage_of_everything_is_extreme_and_finite() -> None:
    z = rate_z(np.array([0, 0, 5000]), np.full(3, 5000), np.zeros(3, dtype=np.int64), np.full(3, 0.5))
    assert z[2] == pytest.approx(37.0, abs=0.2)


@pytest.mark.parametrize("rate", [0.003, 0.05, 0.5])
@pytest.mark.parametrize("weekly_volume", [40, 4000])
def test_without_a_change_it_is_standard_normal_and_independent_whatever_the_weekday_rates(
    rate: float, weekly_volume: int
) -> None:
    rng = np.random.default_rng([20261121, weekly_volume, round(1000 * rate)])
    weekday = np.arange(1400) % 7
    trials = np.maximum(1, weekly_volume // np.array([5, 5, 6, 7, 8, 12, 15]))[weekday]
    rates = rate * np.array([1.5, 1.3, 1.1, 1.0, 0.9, 0.7, 0.5])[weekday]
    z = rate_z(rng.binomial(trials, rates), trials, weekday, rng.random(1400))
    known = z[7:]
    assert kstest(known, "norm").pvalue > 0.01
    assert abs(np.corrcoef(known[:-1], known[1:])[0, 1]) < 3 / np.sqrt(len(known))
    assert abs(np.corrcoef(known[:-7], known[7:])[0, 1]) < 3 / np.sqrt(len(known))


@given(months(), st.integers(1, 7))
def test_swapping_events_and_non_events_turns_the_sign(series: tuple[np.ndarray, np.ndarray], period: int) -> None:
    events, trials = series
    stratum, uniforms = np.arange(len(events)) % period, np.full(len(events), 0.3)
    there = rate_z(events, trials, stratum, uniforms)
    back = rate_z(trials - events, trials, stratum, 1.0 - uniforms)
    assert there == pytest.approx(-back, abs=1e-6, nan_ok=True)


@given(months(), st.integers(1, 39))
def test_later_nights_do_not_change_earlier_ones(series: tuple[np.ndarray, np.ndarray], cut: int) -> None:
    events, trials = series
    stratum, uniforms = np.zeros(len(events), dtype=np.int64), np.full(len(events), 0.5)
    whole = rate_z(events, trials, stratum, uniforms)
    part = rate_z(events[:cut], trials[:cut], stratum[:cut], uniforms[:cut])
    np.testing.assert_array_equal(whole[:cut], part)


@given(months())
def test_one_more_event_tonight_never_lowers_tonights_z(series: tuple[np.ndarray, np.ndarray]) -> None:
    events, trials = series
    if events[-1] == trials[-1]:
        return
    stratum, uniforms = np.zeros(len(events), dtype=np.int64), np.full(len(events), 0.5)
    more = events.copy()
    more[-1] += 1
    here, above = (rate_z(e, trials, stratum, uniforms)[-1] for e in (events, more))
    assert np.isnan(here) or above >= here - 1e-9


@pytest.mark.parametrize(
    ("events", "trials", "uniforms", "sentence"),
    [
        ([5], [4], [0.5], "night 0: 5 events among 4 trials are impossible"),
        ([1, -1], [4, 4], [0.5, 0.5], "night 1: -1 events"),
        ([1, 1], [4], [0.5], "2 events, 1 trials"),
        ([1], [4], [1.5], "uniforms must be between 0 and 1"),
        ([1], [4], [float("nan")], "uniforms must be between 0 and 1"),
    ],
)
def test_impossible_series_are_refused_with_a_sentence(
    events: list[int], trials: list[int], uniforms: list[float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        rate_z(np.array(events), np.array(trials), np.zeros(len(events), dtype=np.int64), np.array(uniforms))


def _production(
    rng: np.random.Generator, *, nights: int, correlation: float, doubled_from: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Events, trials and weekdays of a service with a rate of 5 %, rate and volume +/-50 % over the week."""
    weekday = np.arange(nights) % 7
    pattern = np.array([1.5, 1.3, 1.1, 1.0, 0.9, 0.7, 0.5])
    trials = np.round(400 * pattern[::-1])[weekday].astype(np.int64)
    rate = 0.05 * pattern[weekday]
    if doubled_from is not None:
        rate = np.where(np.arange(nights) >= doubled_from, 2 * rate, rate)
    if correlation:
        weight = 1 / correlation - 1
        rate = rng.beta(rate * weight, (1 - rate) * weight)
    return rng.binomial(trials, rate), trials, weekday


@pytest.mark.parametrize("correlation", [0.0, 0.005])
def test_half_a_year_of_an_unchanged_rate_with_weekdays_and_uneven_days_is_quiet(correlation: float) -> None:
    alarms = 0
    for run in range(160):
        rng = np.random.default_rng([run, 1])
        series = _production(rng, nights=28 + 180, correlation=correlation, doubled_from=None)
        alarms += monitor_rate(*series, rng.random(208), baseline=28).alarm is not None
    assert alarms / 160 <= 0.05 + 2 * (0.05 * 0.95 / 160) ** 0.5


@pytest.mark.parametrize(("correlation", "nights"), [(0.0, 3), (0.005, 7)])
def test_a_doubled_rate_is_reported_within_days_with_its_onset(correlation: float, nights: int) -> None:
    delays, onsets = [], []
    for run in range(60):
        rng = np.random.default_rng([run, 2])
        series = _production(rng, nights=78, correlation=correlation, doubled_from=58)
        watch = monitor_rate(*series, rng.random(78), baseline=28)
        delays.append(99 if watch.alarm is None else watch.alarm - 57)
        onsets.append(watch.onset or 0)
    assert np.median(delays) <= nights
    assert abs(np.median(onsets) - 58) <= 1


def test_a_falling_correction_rate_is_no_alarm_unless_configured() -> None:
    days = np.arange(60)
    events = np.where(days < 40, 100, 50) + np.array([-5, 0, 5])[days % 3]
    series = (events, np.full(60, 1000), days % 7, np.full(60, 0.5))
    assert monitor_rate(*series, baseline=28, worse="up").alarm is None
    assert monitor_rate(*series, baseline=28, worse="down").rose is False
    assert monitor_rate(*series, baseline=28, worse="either").rose is False


def test_a_week_without_data_is_no_change() -> None:
    rng = np.random.default_rng(5)
    events, trials, weekday = _production(rng, nights=70, correlation=0.0, doubled_from=None)
    trials[40:47] = 0
    events[40:47] = 0
    watch = monitor_rate(events, trials, weekday, rng.random(70), baseline=28)
    assert watch.alarm is None
    assert np.isfinite(watch.log_e[40:47]).all()
