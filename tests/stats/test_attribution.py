"""What an alarm is blamed on: the table of decisions, its guarantees in a simulated world, and its edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.attribution import Attribution, Cause, attribute

from .judge_world import World, causes

RUNS = 300
ENOUGH = [(0.0, 300), (0.01, 900), (0.05, 3000)]  # the judge's noise, outputs judged again


def four_errors(rate: float) -> float:
    """Four Monte-Carlo errors of a share of RUNS."""
    return 4.0 * math.sqrt(rate * (1.0 - rate) / RUNS)


@pytest.mark.parametrize(
    ("noise", "outputs", "noisier"), [*((noise, outputs, False) for noise, outputs in ENOUGH), (0.01, 900, True)]
)
def test_a_judge_that_moved_alone_is_not_blamed_on_the_model(noise: float, outputs: int, noisier: bool) -> None:
    world = World(judge_drop=0.03, noise=noise, outputs=outputs, noisier=noisier)
    seen = causes(world, RUNS, seed=1)
    assert seen[Cause.MODEL] + seen[Cause.BOTH] <= 0.05 + four_errors(0.05)
    assert seen[Cause.JUDGE] >= 0.93 - four_errors(0.07)


@pytest.mark.parametrize(("noise", "outputs"), ENOUGH)
@pytest.mark.parametrize(("drop", "nights"), [(0.05, 7), (0.03, 7), (0.05, 1)])
def test_a_pure_model_drop_is_called_one(noise: float, outputs: int, drop: float, nights: int) -> None:
    world = World(model_drop=drop, nights_after=nights, noise=noise, outputs=outputs)
    assert causes(world, RUNS, seed=2)[Cause.MODEL] >= 0.99 - four_errors(0.01)


@pytest.mark.parametrize(("noise", "outputs"), ENOUGH)
def test_a_model_and_a_judge_that_both_moved_are_both_named(noise: float, outputs: int) -> None:
    world = World(model_drop=0.05, judge_drop=0.03, noise=noise, outputs=outputs)
    assert causes(world, RUNS, seed=3)[Cause.BOTH] >= 0.90 - four_errors(0.10)


def test_a_noisy_judge_on_few_outputs_is_not_identifiable() -> None:
    seen = causes(World(judge_drop=0.03, noise=0.05, outputs=100), RUNS, seed=4)
    assert seen[Cause.MODEL] <= 0.05 + four_errors(0.05)
    assert seen[Cause.NOT_IDENTIFIABLE] > 0.5


def test_nothing_that_fell_is_mostly_none_after_a_fortnight() -> None:
    assert causes(World(nights_after=14), RUNS, seed=5)[Cause.NONE] > 0.8


def test_nothing_that_fell_is_seldom_blamed_on_anything_after_a_single_night() -> None:
    assert causes(World(nights_after=1), RUNS, seed=6)[Cause.NONE] >= 0.7 - four_errors(0.3)


def nights(passing: float, count: int = 7, cases: int = 300) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The same share of cases passes every night; which ones, differs from night to night."""
    rows = [(np.roll(np.arange(cases), night * 7) < round(passing * cases)).astype(float) for night in range(count)]
    return np.stack(rows)[..., None]


def reported(after: float, fell: int, rose: int = 0, outputs: int = 1200, noise: int = 6) -> Attribution:
    """The baseline passes 80 %; of the outputs judged again so many fell and rose."""
    stored = np.r_[np.ones(outputs // 2), np.zeros(outputs // 2)]
    repeats = stored.copy()
    repeats[:fell], repeats[outputs - rose :] = 0.0, 1.0
    return attribute(nights(0.8, 14), nights(after), stored, repeats, noise, 600, 0.05)


@pytest.mark.parametrize(
    ("after", "fell", "rose", "cause"),
    [
        (0.75, 6, 6, Cause.MODEL),  # a drop, a judge as noisy as ever
        (0.75, 66, 6, Cause.JUDGE),  # five points fell, the judge took five
        (0.65, 66, 6, Cause.BOTH),  # fifteen fell, the judge took five
        (0.80, 6, 6, Cause.NONE),  # nothing fell
        (0.75, 6, 66, Cause.MODEL),  # a kinder judge makes no drop
        (0.80, 6, 126, Cause.MODEL),  # a kinder judge hid one of ten points
        (0.85, 66, 6, Cause.NONE),  # a stricter judge, and yet nothing fell
    ],
)
def test_the_table_of_decisions(after: float, fell: int, rose: int, cause: Cause) -> None:
    assert reported(after, fell, rose).cause is cause


def test_more_flips_than_the_old_judge_makes_and_fewer_than_the_drop_needs_leave_it_open() -> None:
    assert reported(0.77, 7, 3, outputs=300, noise=12).cause is Cause.NOT_IDENTIFIABLE
    assert reported(0.77, 4, 3, outputs=300, noise=12).cause is Cause.MODEL
    assert reported(0.77, 16, 3, outputs=300, noise=12).cause is Cause.JUDGE


def test_the_judges_share_is_taken_off_the_drop() -> None:
    found = reported(0.65, 66, 6)
    assert found.total_delta == pytest.approx(-0.15)
    assert found.judge_delta == pytest.approx(-0.05)
    assert found.corrected_delta == pytest.approx(-0.10)
    assert found.ci is not None
    assert found.ci.low < -0.05 < found.ci.high < 0.0
    assert found.flip_rate == pytest.approx(0.06)
    assert found.calibrated_flip_rate == pytest.approx(0.01)


def test_an_insignificant_judge_shift_is_shrunk() -> None:
    found = reported(0.75, 9, 4)
    assert found.cause is Cause.MODEL
    assert found.judge_delta is not None
    assert found.ci is not None
    assert -5 / 1200 < found.judge_delta <= 0.0
    assert found.ci.low <= found.judge_delta <= found.ci.high


def test_without_stored_outputs_nothing_can_be_separated_and_the_drop_is_still_reported() -> None:
    found = attribute(nights(0.8), nights(0.7), np.array([]), np.array([]), 3, 600, 0.05)
    assert found.cause is Cause.NOT_IDENTIFIABLE
    assert found.total_delta == pytest.approx(-0.1)
    assert found.judge_delta is None


def test_unscored_verdicts_are_no_verdicts() -> None:
    found = attribute(nights(0.8), nights(0.7), np.ones(50), np.full(50, np.nan), 3, 600, 0.05)
    assert found.cause is Cause.NOT_IDENTIFIABLE


def test_no_case_on_both_sides_is_not_identifiable_and_the_judge_is_still_reported() -> None:
    before, after = nights(0.8), nights(0.8)
    before[:, :150], after[:, 150:] = np.nan, np.nan
    found = attribute(before, after, np.ones(300), np.ones(300), 3, 600, 0.05)
    assert (found.cause, found.total_delta, found.judge_delta) == (Cause.NOT_IDENTIFIABLE, None, 0.0)


def test_a_handful_of_outputs_cannot_clear_the_judge() -> None:
    assert reported(0.75, 0, 0, outputs=20).cause is Cause.NOT_IDENTIFIABLE


def test_graded_verdicts_are_separated_as_well() -> None:
    rng = np.random.default_rng(9)
    stored = rng.choice([0.25, 0.5, 0.75, 1.0], 900)
    moved = np.where(rng.random(900) < 0.2, stored - 0.25, stored)
    before, after = nights(0.8, 14) * 0.75, nights(0.8) * 0.75
    judge = attribute(before, np.maximum(after - 0.05, 0.0), stored, moved, 9, 900, 0.05)
    model = attribute(before, np.maximum(after - 0.05, 0.0), stored, stored, 9, 900, 0.05)
    assert (judge.cause, model.cause) == (Cause.JUDGE, Cause.MODEL)


@pytest.mark.parametrize("alpha", [0.0, 0.5, -1.0])
def test_an_impossible_alpha_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha must be between 0 and 0\.5"):
        attribute(nights(0.8), nights(0.7), np.ones(9), np.ones(9), 0, 9, alpha)


def test_shapes_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="of the same cases"):
        attribute(nights(0.8), nights(0.7, cases=200), np.ones(9), np.ones(9), 0, 9, 0.05)


@settings(max_examples=60, deadline=None)
@given(
    after=st.floats(0.0, 1.0),
    fell=st.integers(0, 40),
    rose=st.integers(0, 40),
    noise=st.integers(0, 600),
    outputs=st.integers(80, 400),
)
def test_the_numbers_are_always_consistent(after: float, fell: int, rose: int, noise: int, outputs: int) -> None:
    found = reported(after, fell, rose, outputs=outputs - outputs % 2, noise=noise)
    assert found.judge_delta is not None
    assert found.ci is not None
    assert found.total_delta is not None
    assert found.ci.low <= found.judge_delta <= found.ci.high
    assert found.corrected_delta == pytest.approx(found.total_delta - found.judge_delta)
    for p in (found.drop_p, found.judge_p, found.judge_alone_p, found.corrected_p):
        assert p is not None
        assert 0.0 <= p <= 1.0


@pytest.mark.parametrize(
    ("before", "after"), [((0, 30, 1), (7, 30, 1)), ((7, 30, 1), (0, 30, 1)), ((7, 0, 1), (7, 0, 1))]
)
def test_no_night_or_no_case_is_not_identifiable(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    found = attribute(np.ones(before), np.ones(after), np.ones(300), np.ones(300), 3, 600, 0.05)
    assert found.cause is Cause.NOT_IDENTIFIABLE


def test_a_saturated_set_that_collapses_is_the_models_or_the_judges() -> None:
    perfect, broken = np.ones((14, 30, 1)), np.zeros((1, 30, 1))
    model = attribute(perfect, broken, np.ones(300), np.ones(300), 0, 0, 0.05)
    judge = attribute(perfect, broken, np.ones(300), np.zeros(300), 0, 0, 0.05)
    assert (model.cause, judge.cause) == (Cause.MODEL, Cause.JUDGE)
    assert judge.corrected_delta == pytest.approx(0.0)


def test_the_order_of_cases_nights_and_outputs_does_not_matter() -> None:
    rng = np.random.default_rng(11)
    before, after = nights(0.8, 14), nights(0.75)
    stored = before[:4].ravel()
    repeats = np.where(rng.random(stored.size) < 0.03, 0.0, stored)
    found = attribute(before, after, stored, repeats, 6, 600, 0.05)
    cases, outputs = rng.permutation(300), rng.permutation(stored.size)
    shuffled = attribute(before[:, cases], after[:, cases], stored[outputs], repeats[outputs], 6, 600, 0.05)
    assert shuffled.cause is found.cause
    assert shuffled.total_delta == pytest.approx(found.total_delta)
    assert shuffled.judge_delta == pytest.approx(found.judge_delta)


def test_samples_that_are_missing_at_random_do_not_pass_for_failures() -> None:
    rng = np.random.default_rng(12)
    before, after = nights(0.8, 14), nights(0.8, 14)
    after[rng.random(after.shape) < 0.3] = np.nan
    assert attribute(before, after, np.ones(900), np.ones(900), 0, 900, 0.05).cause is Cause.NONE
