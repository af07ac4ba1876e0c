import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.multi_class import compare_labels

labels = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=60)


def _expand(table: list[list[int]]) -> tuple[list[str], list[str]]:
    cells = [(str(i), str(j)) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def test_stuarts_eyesight_example_is_reproduced() -> None:
    # Stuart 1955: unaided distance vision of 7,477 women, right eye by left eye; 11.96 (Bhapkar 1966: 11.98), 3 degrees
    table = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    change = compare_labels(*_expand(table))
    assert change.degrees == 3
    assert round(change.statistic, 2) == 11.96
    assert round(change.bhapkar, 2) == 11.98
    assert change.p_value == pytest.approx(chi2.sf(change.statistic, 3))


def test_with_two_labels_it_is_mcnemars_chi_square_and_each_label_the_exact_test() -> None:
    change = compare_labels(*_expand([[50, 12], [3, 35]]))
    assert change.statistic == pytest.approx((12 - 3) ** 2 / 15)
    assert change.degrees == 1
    assert [shift.p_value for shift in change.labels] == [exact_mcnemar(12, 3)] * 2
    assert [shift.effect for shift in change.labels] == [-0.09, 0.09]


def test_no_case_that_moved_speaks_against_nothing() -> None:
    change = compare_labels(["a", "b", "a"], ["a", "b", "a"])
    assert (change.statistic, change.bhapkar, change.degrees) == (0.0, 0.0, 0)
    assert change.p_value == change.bhapkar_p_value == 1.0


def test_every_case_moving_one_way_is_the_largest_statistic() -> None:
    change = compare_labels(["a"] * 9, ["b"] * 9)
    assert change.statistic == pytest.approx(9.0)
    assert change.bhapkar == float("inf")
    assert change.bhapkar_p_value == 0.0


def test_cases_without_a_label_on_one_side_are_left_out() -> None:
    with_gaps = compare_labels(["a", "a", None, "b"], ["b", None, "b", "b"])
    assert with_gaps == compare_labels(["a", "b"], ["b", "b"])
    assert with_gaps.n == 2


@given(labels)
def test_swapping_the_versions_turns_the_effects_and_keeps_the_evidence(pairs: list[tuple[str, str]]) -> None:
    old, new = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = compare_labels(old, new), compare_labels(new, old)
    assert there.statistic == pytest.approx(back.statistic, abs=1e-9)
    assert there.degrees == back.degrees
    for one, other in zip(there.labels, back.labels, strict=True):
        assert one.effect == -other.effect
        assert one.p_value == other.p_value


@given(labels)
def test_it_is_the_quadratic_form_without_the_last_label_of_each_group(pairs: list[tuple[str, str]]) -> None:
    names = sorted({name for pair in pairs for name in pair})
    table = np.array([[sum(pair == (a, b) for pair in pairs) for b in names] for a in names])
    spread = np.diag(table.sum(axis=1) + table.sum(axis=0)) - table - table.T
    if np.linalg.matrix_rank(spread) == len(names) - 1 > 0:
        moved = (table.sum(axis=1) - table.sum(axis=0))[:-1]
        classic = moved @ np.linalg.solve(spread[:-1, :-1].astype(float), moved)
        assert compare_labels([a for a, _ in pairs], [b for _, b in pairs]).statistic == pytest.approx(
            classic, abs=1e-8
        )


@given(labels)
def test_effects_add_up_to_nothing_and_are_in_their_intervals(pairs: list[tuple[str, str]]) -> None:
    change = compare_labels([a for a, _ in pairs], [b for _, b in pairs])
    assert sum(shift.effect for shift in change.labels) == pytest.approx(0.0, abs=1e-9)
    for shift in change.labels:
        assert shift.interval.low <= shift.effect <= shift.interval.high
        assert shift.p_value <= shift.p_value_adjusted <= 1.0


def test_an_unchanged_mix_is_called_changed_at_the_nominal_rate() -> None:
    rng = np.random.default_rng(1)
    wrong_mix = wrong_label = 0
    for _ in range(400):
        habit = rng.dirichlet([8, 3, 2, 1], size=200)
        one, other = ((habit.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1).astype(str).tolist() for _ in range(2))
        change = compare_labels(one, other)
        wrong_mix += change.p_value < 0.05
        wrong_label += any(shift.p_value_adjusted < 0.05 for shift in change.labels)
    assert 0.02 <= wrong_mix / 400 <= 0.08
    assert wrong_label / 400 <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5


def test_lists_that_are_no_pairs_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="2 before, 1 after"):
        compare_labels(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="at least one case with a label before and after"):
        compare_labels([None], ["a"])
