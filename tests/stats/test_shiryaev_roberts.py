from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE, Evidence, Floats, Mixture, shiryaev_roberts

SMALL = Mixture(steps=((0.25, 0.7),), ramps=((0.02, 0.3),))
scores = st.one_of(st.floats(-4.0, 4.0), st.just(np.nan))
paths = arrays(np.float64, st.integers(2, 9), elements=scores)


def step_template(onset: int, night: int) -> float:
    return 1.0 if night >= onset else 0.0


def ramp_template(onset: int, night: int) -> float:
    return max(night - onset + 1.0, 0.0)


def as_the_reference_sees_it(template: list[float]) -> float:
    """Mean of a self-starting score: the last night against the mean of those before it, in its standard deviations."""
    *earlier, tonight = template
    return (tonight - sum(earlier) / len(earlier)) * sqrt(len(earlier) / (len(earlier) + 1.0))


def slow_log_ratio(u: Floats, onset: int, night: int, size: float, *, ramp: bool) -> float:
    shape = ramp_template if ramp else step_template
    total = 0.0
    for s in range(onset, night + 1):
        mean = size * as_the_reference_sees_it([shape(onset, each) for each in range(s + 1)])
        if not np.isnan(u[s]):
            total += mean * u[s] - mean**2 / 2.0
    return total


def slow_log_e(u: Floats, first_onset: int, night: int, mixture: Mixture) -> float:
    total = 0.0
    for onset in range(first_onset, night + 1):
        for sizes, ramp in ((mixture.steps, False), (mixture.ramps, True)):
            for size, weight in sizes:
                total += weight * exp(slow_log_ratio(u, onset, night, size, ramp=ramp))
    return log(total) if total > 0.0 else -np.inf


@settings(max_examples=40, deadline=None)
@given(paths, st.integers(1, 4), st.sampled_from([WHOLE, PART, SMALL]))
def test_it_agrees_with_the_sum_written_out(u: Floats, first_onset: int, mixture: Mixture) -> None:
    evidence = shiryaev_roberts(u[:, None], first_onset, [mixture])
    expected = [slow_log_e(u, first_onset, night, mixture) for night in range(u.size)]
    np.testing.assert_allclose(evidence.log_e[:, 0], expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(paths, st.integers(1, 4))
def test_the_onset_is_that_of_the_largest_ratio(u: Floats, first_onset: int) -> None:
    evidence = shiryaev_roberts(u[:, None], first_onset, [SMALL])
    for night in range(first_onset, u.size):
        ratios = {
            onset: max(
                slow_log_ratio(u, onset, night, 0.25, ramp=False), slow_log_ratio(u, onset, night, 0.02, ramp=True)
            )
            for onset in range(first_onset, night + 1)
        }
        assert evidence.log_best[night, 0] == pytest.approx(max(ratios.values()), abs=1e-9)
        assert ratios[int(evidence.onset[night, 0])] == pytest.approx(max(ratios.values()), abs=1e-9)


def test_before_the_first_onset_there_is_neither_evidence_nor_onset() -> None:
    evidence = shiryaev_roberts(np.full((6, 2), 3.0), 4)
    assert np.isneginf(evidence.log_e[:4]).all()
    assert (evidence.onset[:4] == -1).all()
    assert np.isfinite(evidence.log_e[4:]).all()
    assert (evidence.onset[4:] >= 4).all()


def test_a_reference_that_never_ends_gives_no_evidence() -> None:
    assert np.isneginf(shiryaev_roberts(np.full((3, 1), 9.0), 3).log_e).all()


def test_a_channel_without_a_night_before_the_first_onset_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one night must precede the first onset, got 0"):
        shiryaev_roberts(np.zeros((3, 1)), 0)


@given(paths, st.integers(1, 4), st.integers(0, 9))
def test_cutting_later_nights_changes_nothing(u: Floats, first_onset: int, cut: int) -> None:
    whole, start = shiryaev_roberts(u[:, None], first_onset), shiryaev_roberts(u[:cut, None], first_onset)
    np.testing.assert_allclose(start.log_e, whole.log_e[:cut], rtol=1e-12)
    np.testing.assert_allclose(start.log_best, whole.log_best[:cut], rtol=1e-12)
    assert np.array_equal(start.onset, whole.onset[:cut])


def test_a_night_without_a_score_adds_no_evidence() -> None:
    u = np.array([0.0] * 8 + [2.0, np.nan, np.nan])[:, None]
    log_best = shiryaev_roberts(u, 5).log_best[:, 0]
    assert log_best[9] == pytest.approx(log_best[8])
    assert log_best[10] == pytest.approx(log_best[8])


def test_silence_alone_is_one_unit_of_evidence_an_onset() -> None:
    log_e = shiryaev_roberts(np.full((12, 1), np.nan), 4).log_e[4:, 0]
    assert np.exp(log_e) == pytest.approx(np.arange(1.0, 9.0))


def test_expected_evidence_is_the_number_of_onsets_when_nothing_changed() -> None:
    u = np.random.default_rng(0).normal(size=(16, 1500))
    evidence = np.exp(shiryaev_roberts(u, 6, [SMALL] * 1500).log_e[-1])
    assert abs(evidence.mean() - 10.0) < 4.0 * evidence.std() / sqrt(1500)


def test_the_chance_of_a_false_alarm_is_within_its_guarantee() -> None:
    horizon, threshold = 40, 100.0
    u = np.random.default_rng(1).normal(size=(10 + horizon, 1000))
    crossed = (shiryaev_roberts(u, 10).log_e >= log(threshold)).any(axis=0).mean()
    assert 0.0 < crossed <= horizon / threshold


@pytest.mark.parametrize("onset", [20, 35])
def test_a_step_is_found_at_its_onset(onset: int) -> None:
    u = np.random.default_rng(onset).normal(size=(50, 3))
    u[onset:, 1] += 4.0
    evidence = shiryaev_roberts(u, 14)
    assert int(evidence.log_best[onset + 1].argmax()) == 1
    assert abs(int(evidence.onset[onset + 1, 1]) - onset) <= 1


def test_a_drop_is_no_evidence_for_a_rise() -> None:
    u = np.full((30, 1), 0.0)
    u[15:] = -3.0
    assert shiryaev_roberts(u, 10).log_e[-1, 0] < log(20.0)
    assert shiryaev_roberts(-u, 10).log_e[-1, 0] > log(1e6)


def test_evidence_beyond_every_double_stays_a_number() -> None:
    u = np.concatenate([np.zeros((200, 2)), np.full((200, 2), 37.0)])
    log_e = shiryaev_roberts(u, 100).log_e
    assert np.isfinite(log_e[100:]).all()
    assert log_e[-1].min() > 1000.0


@pytest.mark.parametrize("mixture", [WHOLE, PART])
def test_weights_of_a_mixture_add_up_to_one(mixture: Mixture) -> None:
    assert sum(weight for _, weight in (*mixture.steps, *mixture.ramps)) == pytest.approx(1.0)


def test_the_average_over_channels_is_the_weighted_mean_of_their_evidence() -> None:
    evidence = shiryaev_roberts(np.random.default_rng(3).normal(size=(12, 3)), 5)
    weights = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(np.exp(evidence.average(weights)), np.exp(evidence.log_e) @ weights, rtol=1e-12)


def test_a_channel_without_evidence_takes_no_part_in_the_average() -> None:
    nothing = np.array([[-np.inf, 3.0], [-np.inf, -np.inf]])
    evidence = Evidence(log_e=nothing, log_best=nothing, onset=np.zeros((2, 2), dtype=np.int64))
    assert evidence.average(np.array([0.5, 0.5])) == pytest.approx([3.0 + log(0.5), -np.inf])
