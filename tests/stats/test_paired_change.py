import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.night_tally import Floats, NightTally
from monitor.stats.two_versions.paired_change import PairedChange, paired_change

from .tallies import outcomes, pass_rates, passing_nights

scores = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, np.nan])
stretches = st.tuples(st.integers(1, 4), st.just(6), st.integers(1, 2)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=scores)
)
ALL = np.ones(6, dtype=np.bool_)


def found(before: Floats, after: Floats, spread: float = 1.0) -> PairedChange | None:
    cases = np.ones(before.shape[1], dtype=np.bool_)
    return paired_change(NightTally.of_values(before), NightTally.of_values(after), cases, spread=spread)


@given(stretches, stretches, st.floats(1.0, 4.0))
def test_both_intervals_hold_the_change_and_that_for_new_cases_is_the_wider(
    before: Floats, after: Floats, spread: float
) -> None:
    change = found(before, after, spread)
    if change is None:
        return
    assert -1.0 <= change.these_cases.low <= change.delta <= change.these_cases.high <= 1.0
    assert change.delta == pytest.approx(change.after - change.before)
    assert (change.new_cases is None) == (change.n == 1)
    if change.new_cases is not None:
        assert change.new_cases.low <= change.these_cases.low + 1e-12
        assert change.new_cases.high >= change.these_cases.high - 1e-12


@given(stretches, stretches)
def test_the_change_is_the_mean_over_cases_of_both_sides(before: Floats, after: Floats) -> None:
    rates = [
        [float(np.nanmean(side[:, case])) if not np.isnan(side[:, case]).all() else None for case in range(6)]
        for side in (before, after)
    ]
    steps = [b - a for a, b in zip(*rates, strict=True) if a is not None and b is not None]
    change = found(before, after)
    if not steps:
        assert change is None
        return
    assert change is not None
    assert change.n == len(steps)
    assert change.delta == pytest.approx(np.mean(steps))


@given(stretches, stretches)
def test_read_backwards_the_change_has_the_other_sign_and_as_wide_an_interval(before: Floats, after: Floats) -> None:
    forwards, backwards = found(before, after), found(after, before)
    if forwards is None or backwards is None:
        assert forwards is backwards
        return
    assert backwards.delta == pytest.approx(-forwards.delta)
    assert backwards.these_cases.low == pytest.approx(-forwards.these_cases.high)


@given(stretches, stretches)
def test_nights_that_share_other_causes_widen_the_interval(before: Floats, after: Floats) -> None:
    quiet, restless = found(before, after, 1.0), found(before, after, 3.0)
    if quiet is not None and restless is not None:
        assert restless.these_cases.low <= quiet.these_cases.low
        assert restless.these_cases.high >= quiet.these_cases.high


def covered(nights_after: int, samples: int, *, graded: bool = False) -> float:
    rng = np.random.default_rng(nights_after + samples)
    hits = []
    for _ in range(300):
        old = rng.uniform(0.1, 0.95, 100)
        new = np.clip(old - 0.05 + 0.15 * rng.normal(size=100), 0.0, 1.0)
        before, after = outcomes(rng, old, 14, samples), outcomes(rng, new, nights_after, samples)
        if graded:  # half of the credit is certain
            before, after = 0.5 + before / 2.0, 0.5 + after / 2.0
        change = found(before, after)
        assert change is not None
        truth = float((new - old).mean()) * (0.5 if graded else 1.0)
        hits.append(change.these_cases.low <= truth <= change.these_cases.high)
    return float(np.mean(hits))


@pytest.mark.parametrize(("nights_after", "samples"), [(1, 1), (7, 1), (3, 3)])
def test_the_interval_for_these_cases_has_its_coverage(nights_after: int, samples: int) -> None:
    assert 0.91 <= covered(nights_after, samples) <= 0.99


def test_graded_scores_are_covered_as_well() -> None:
    assert 0.91 <= covered(3, 2, graded=True) <= 0.99


def test_the_interval_for_new_cases_covers_the_change_of_all_such_cases() -> None:
    rng = np.random.default_rng(8)
    hits = []
    for _ in range(300):
        old = rng.uniform(0.3, 0.8, 60)
        new = np.clip(old + np.where(rng.random(60) < 0.3, -0.3, 0.05), 0.0, 1.0)
        change = found(outcomes(rng, old, 10), outcomes(rng, new, 5))
        assert change is not None
        assert change.new_cases is not None
        hits.append(change.new_cases.low <= 0.3 * -0.3 + 0.7 * 0.05 <= change.new_cases.high)
    assert 0.91 <= np.mean(hits) <= 0.99


def test_an_interval_without_flips_has_a_width() -> None:
    change = found(np.ones((3, 20, 1)), np.ones((1, 20, 1)))
    assert change is not None
    assert change.delta == 0.0
    assert -0.2 < change.these_cases.low < 0.0 < change.these_cases.high < 0.2


def test_one_sample_on_each_side_still_has_an_interval() -> None:
    change = found(np.array([[[1.0], [0.0], [1.0], [1.0]]]), np.array([[[1.0], [0.0], [0.0], [1.0]]]))
    assert change is not None
    assert change.these_cases.low < -0.25 < change.these_cases.high


def test_a_single_case_gives_no_interval_for_new_cases() -> None:
    change = found(np.ones((5, 1, 1)), np.zeros((1, 1, 1)))
    assert change is not None
    assert change.new_cases is None
    assert change.delta == -1.0


def test_cases_outside_the_channel_are_not_counted() -> None:
    rng = np.random.default_rng(1)
    before, after = (passing_nights(rng, pass_rates(rng, 6), 3) for _ in range(2))
    members = np.arange(6) < 2
    change = paired_change(before, after, members)
    assert change is not None
    assert change.n == 2
    assert paired_change(before, after, ~ALL) is None


def test_a_stricter_level_is_wider() -> None:
    before, after = NightTally.of_values(np.ones((4, 6, 1))), NightTally.of_values(np.zeros((2, 6, 1)))
    usual, strict = (paired_change(before, after, ALL, level=level) for level in (0.95, 0.999))
    assert usual is not None
    assert strict is not None
    assert strict.these_cases.high > usual.these_cases.high
