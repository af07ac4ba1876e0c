import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.night_tally import Floats
from monitor.stats.two_versions.comparison import (
    ALONE_FIRST,
    OVERALL_FIRST,
    OVERALL_SHARE,
    PART_FIRST,
    TwoVersions,
    channel_boundaries,
    compare,
    membership,
)
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

from .tallies import outcomes, pass_rates

NAMES = ["orders", "refunds", "returns"]


def categories(cases: int) -> list[str]:
    return [NAMES[case % 3] for case in range(cases)]


def a_pair(seed: int, *, cases: int = 60, drop: float = 0.0, after: int = 3, before: int = 14) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.3, 0.95, cases)
    return outcomes(rng, rates, before), outcomes(rng, np.clip(rates - drop, 0.0, 1.0), after)


def report(before: Floats, after: Floats, alpha: float = 0.05) -> TwoVersions:
    return compare(before, after, categories(before.shape[1]), alpha)


def test_without_a_change_a_plan_of_looks_errs_with_at_most_alpha() -> None:
    runs, errors = 120, 0
    for seed in range(runs):
        before, after = a_pair(seed, cases=45, after=7)
        errors += any(report(before, after[:look], 0.1).alarm for look in (1, 3, 7))
    assert errors / runs <= 0.1 + 3.0 * np.sqrt(0.1 * 0.9 / runs)


def test_the_p_value_is_uniform_without_a_change() -> None:
    p = np.array([report(*a_pair(1000 + seed)).overall.p for seed in range(200)])
    for level in (0.05, 0.2, 0.5):
        assert abs((p <= level).mean() - level) < 4.0 * np.sqrt(level * (1.0 - level) / 200)


def test_a_drop_is_an_alarm_and_a_rise_is_none() -> None:
    before, after = a_pair(1, cases=150, drop=0.25)
    worse, better = report(before, after), report(after, before)
    assert worse.overall.alarm
    assert worse.alarm
    assert worse.overall.p < 1e-4
    assert not better.alarm
    assert better.overall.p < 1e-4


def test_a_category_that_collapses_is_an_alarm_of_its_own() -> None:
    rng = np.random.default_rng(2)
    rates, orders = np.full(300, 0.9), np.arange(300) % 30 == 0
    names = ["orders" if each else "refunds" for each in orders]
    before = outcomes(rng, rates, 14, 2)
    after = outcomes(rng, np.where(orders, 0.2, 0.9), 1, 2)
    found = compare(before, after, names, 0.05)
    assert found.categories["orders"].alarm
    assert not found.categories["refunds"].alarm
    assert found.alarm


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_swapping_before_and_after_turns_the_sign(seed: int) -> None:
    before, after = a_pair(seed, cases=30, before=4, after=4, drop=0.1)
    forwards, backwards = report(before, after), report(after, before)
    for one, other in zip(
        [forwards.overall, *forwards.categories.values()],
        [backwards.overall, *backwards.categories.values()],
        strict=True,
    ):
        # What each is divided by differs: each version has a noise and a spread of nights of its own.
        assert (one.z or 0.0) * (other.z or 0.0) <= 1e-6
        assert one.delta == pytest.approx(-(other.delta or 0.0))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_interval_holds_its_change_and_every_p_is_a_probability(seed: int) -> None:
    found = report(*a_pair(seed, cases=12, before=3, after=2, drop=0.2))
    for channel in (found.overall, *found.categories.values()):
        assert channel.delta is not None
        assert channel.ci is not None
        assert channel.ci_new_cases is not None
        assert channel.ci_new_cases.low <= channel.ci.low <= channel.delta <= channel.ci.high
        assert 0.0 < channel.p <= 1.0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_padding_with_nan_changes_nothing(seed: int, padding: int) -> None:
    before, after = a_pair(seed, cases=15, before=4, after=3)
    padded = np.concatenate([after, np.full((3, 15, padding), np.nan)], axis=2)
    assert report(before, padded) == report(before, after)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(seed: int) -> None:
    before, after = a_pair(seed, cases=18, before=4, after=3)
    order = np.random.default_rng(seed).permutation(18)
    names = np.array(categories(18))
    straight, shuffled = compare(before, after, names), compare(before[:, order], after[:, order], names[order])
    assert shuffled.overall.delta == pytest.approx(straight.overall.delta)
    assert shuffled.overall.p == pytest.approx(straight.overall.p)
    assert shuffled.categories["orders"].p == pytest.approx(straight.categories["orders"].p)


def test_a_category_missing_on_one_side_has_no_verdict_and_is_no_failure() -> None:
    before, after = a_pair(3, drop=0.0)
    after[:, [name == "refunds" for name in categories(60)]] = np.nan
    found = report(before, after)
    gone = found.categories["refunds"]
    assert (gone.n, gone.delta, gone.ci, gone.ci_new_cases, gone.p, gone.z) == (0, None, None, None, 1.0, None)
    assert not found.alarm
    assert found.overall.n == 40


def test_between_looks_the_alarm_is_that_of_the_last_look() -> None:
    before, after = a_pair(4, cases=150, drop=0.25, after=4)
    spared = np.concatenate([after[:3], np.ones((1, 150, 1))])
    found, at_look = report(before, spared), report(before, after[:3])
    assert found.look == at_look.look == 3
    assert found.alarm == at_look.alarm
    assert at_look.alarm
    assert found.overall.p != at_look.overall.p  # p and the interval are of all nights


@pytest.mark.parametrize(("nights", "look"), [(1, 1), (2, 2), (6, 5), (31, 30)])
def test_the_look_is_the_latest_of_the_plan(nights: int, look: int) -> None:
    assert report(*a_pair(5, cases=6, after=nights)).look == look


def test_no_night_after_the_change_is_no_look() -> None:
    before, _ = a_pair(6)
    found = report(before, np.zeros((0, 60, 1)))
    assert found.look is None
    assert not found.alarm
    assert found.overall.delta is None
    assert found.overall.p == 1.0


def test_graded_scores_are_compared_as_they_are() -> None:
    rng = np.random.default_rng(7)
    centre = rng.uniform(0.4, 0.9, 90)

    def rubric(nights: int, drop: float) -> Floats:
        noise = 0.15 * rng.normal(size=(nights, 90, 2))
        return np.clip(np.round(4.0 * (centre[None, :, None] - drop + noise)) / 4.0, 0.0, 1.0)

    before = rubric(14, 0.0)
    assert report(before, rubric(3, 0.1)).overall.alarm
    steady = report(before, rubric(3, 0.0))
    assert not steady.alarm
    assert steady.overall.delta == pytest.approx(0.0, abs=0.05)


def test_scores_that_are_all_the_same_say_nothing() -> None:
    found = report(np.ones((5, 9, 1)), np.ones((2, 9, 1)))
    assert found.overall.delta == 0.0
    assert found.overall.p == 1.0
    assert found.overall.z is None
    assert not found.alarm


def test_a_single_category_is_overall_and_gives_it_all_of_alpha() -> None:
    assert channel_boundaries(0.05, 1, 1).tolist() == [boundaries(0.05, first_share=ALONE_FIRST)[0], np.inf]
    before, after = a_pair(8, cases=100, drop=0.3)
    found = compare(before, after, ["orders"] * 100)
    assert found.overall.alarm
    assert found.categories["orders"].p == found.overall.p


@pytest.mark.parametrize("look", LOOKS)
def test_overall_and_categories_share_alpha(look: int) -> None:
    overall, *each = channel_boundaries(0.05, 10, look)
    index = LOOKS.index(look)
    assert overall == boundaries(0.05 * OVERALL_SHARE, first_share=OVERALL_FIRST)[index]
    assert each == [boundaries(0.05 * (1.0 - OVERALL_SHARE) / 10, first_share=PART_FIRST)[index]] * 10


def test_membership_puts_every_case_overall_and_into_its_category() -> None:
    assert membership(["b", "a", "b"], ["a", "b"]).tolist() == [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    assert membership(["b", "a"], []).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ((3, 4), (3, 3, 1), r"before has the shape \(3, 4\); expected \[nights, 3 cases, samples\]"),
        ((3, 3, 1), (3, 4, 1), r"after has the shape \(3, 4, 1\); expected \[nights, 3 cases, samples\]"),
    ],
)
def test_arrays_of_another_shape_are_refused_by_name(
    before: tuple[int, ...], after: tuple[int, ...], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        compare(np.ones(before), np.ones(after), ["a", "b", "c"])


@pytest.mark.parametrize("alpha", [0.0, 0.5, -1.0, float("nan")])
def test_an_alpha_off_its_scale_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha must be between 0 and 0\.5"):
        compare(np.ones((2, 1, 1)), np.ones((2, 1, 1)), ["a"], alpha)


def test_scores_off_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match="a score must be between 0 and 1"):
        compare(np.full((2, 1, 1), 5.0), np.ones((2, 1, 1)), ["a"])


def test_rates_near_the_ends_are_compared_too() -> None:
    rng = np.random.default_rng(9)
    rates = pass_rates(rng, 40)
    assert 0.0 < report(outcomes(rng, rates, 9), outcomes(rng, rates, 2)).overall.p <= 1.0
