import numpy as np
import pytest

from monitor.stats.graded import compare_graded

NAN = np.nan


def _rubric(rng: np.random.Generator, means: np.ndarray, k: int) -> np.ndarray:
    """Scores on the five steps 0, 0.25 .. 1 around each case's own mean."""
    return np.asarray(rng.binomial(4, means[:, None], size=(means.size, k)) / 4)


def test_the_effect_is_the_mean_difference_of_case_means_whatever_their_samples() -> None:
    before = np.array([[1.0, 0.5, NAN], [0.25, NAN, NAN]])
    after = np.array([[0.5, 0.25], [0.75, 0.75]])
    change = compare_graded(before, after, np.random.default_rng(0)).change
    assert (change.before, change.after) == pytest.approx((0.5, 0.5625))
    assert change.delta == pytest.approx(((0.375 - 0.75) + (0.75 - 0.25)) / 2)


def test_a_case_without_a_score_on_one_side_is_left_out_and_is_no_zero() -> None:
    before = np.array([[1.0, 1.0], [0.5, 0.5], [1.0, 0.75]])
    after = np.array([[NAN, NAN], [0.5, 0.5], [1.0, 0.75]])
    graded = compare_graded(before, after, np.random.default_rng(0))
    assert (graded.change.n, graded.change.delta, graded.p_value) == (2, 0.0, 1.0)


def test_both_intervals_cover_what_they_speak_of_and_the_p_value_keeps_its_level() -> None:
    these, new, wrong = [], [], []
    population = np.random.default_rng(9).beta(3, 1.5, size=(20000, 2))
    drift = float((population[:, 1] - population[:, 0]).mean())
    for run in range(200):
        rng = np.random.default_rng([run, 5])
        means = population[rng.choice(20000, 100, replace=False)]
        graded = compare_graded(_rubric(rng, means[:, 0], 2), _rubric(rng, means[:, 1], 2), rng, draws=199)
        own = float((means[:, 1] - means[:, 0]).mean())
        change = graded.change
        assert change.new_cases is not None
        these.append(change.these_cases.low <= own <= change.these_cases.high)
        new.append(change.new_cases.low <= drift <= change.new_cases.high)
        wrong.append(graded.p_value <= 0.05)
    assert 0.91 <= np.mean(these) <= 0.99
    assert 0.91 <= np.mean(new) <= 0.99
    assert np.mean(wrong) <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_a_drop_of_ten_points_on_three_hundred_cases_is_found_and_is_negative() -> None:
    rng = np.random.default_rng(6)
    means = rng.beta(4, 2, size=300)
    graded = compare_graded(_rubric(rng, means, 2), _rubric(rng, np.clip(means - 0.1, 0, 1), 2), rng)
    assert graded.p_value <= 0.001
    assert graded.change.these_cases.high < 0
    assert graded.change.new_cases is not None
    assert graded.change.new_cases.high < 0


def test_arrays_that_are_no_pairs_are_refused_with_a_sentence() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"got \(3, 1\) and \(2, 1\)"):
        compare_graded(np.zeros((3, 1)), np.zeros((2, 1)), rng)
    with pytest.raises(ValueError, match=r"\[cases, samples\]"):
        compare_graded(np.zeros(3), np.zeros(3), rng)
    with pytest.raises(ValueError, match="at least one case with a score before and after"):
        compare_graded(np.full((2, 1), NAN), np.zeros((2, 1)), rng)
    with pytest.raises(ValueError, match="a score must be between 0 and 1"):
        compare_graded(np.full((2, 1), 4.0), np.zeros((2, 1)), rng)
