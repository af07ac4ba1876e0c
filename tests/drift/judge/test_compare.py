from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.finding import Comparison
from monitor.domain.run import CaseResult
from monitor.drift.judge.compare import compare_runs, overall_p_adjusted
from monitor.stats.holm import holm
from monitor.stats.mcnemar import exact_mcnemar
from tests.drift.builders import case, results

values = st.sampled_from([1.0, 0.0, None, 0.5, 0.25])
Cell = tuple[float | None, float | None, str]
cells = st.tuples(values, values, st.sampled_from(["alpha", "beta", "gamma"]))


def maybe_compare(before: Sequence[CaseResult], after: Sequence[CaseResult], **fields: Any) -> Comparison | None:
    return compare_runs(before, after, **{"streaks": {}, "aa_discordance": None, "alpha": 0.05, **fields})


def compare(before: Sequence[CaseResult], after: Sequence[CaseResult], **fields: Any) -> Comparison:
    comparison = maybe_compare(before, after, **fields)
    assert comparison is not None
    return comparison


def test_nothing_in_common_is_no_comparison() -> None:
    assert maybe_compare(results([1.0, None]), results([None, 1.0])) is None
    assert maybe_compare([], []) is None


def test_rates_are_those_of_the_paired_cases() -> None:
    comparison = compare(results([1.0, 1.0, 0.0, None, 1.0]), results([0.0, 1.0, 0.0, 1.0, None]))
    assert (comparison.n, comparison.baseline, comparison.candidate) == (3, 2 / 3, 1 / 3)
    assert comparison.effect == pytest.approx(-1 / 3)
    assert (comparison.flipped_to_fail, comparison.flipped_to_pass) == (1, 0)
    assert comparison.metric == "pass_rate"


def test_flipped_ids_are_the_cases_that_passed_and_fail_now_in_order() -> None:
    comparison = compare(results([1.0, 1.0, 0.0, 1.0]), results([0.0, 1.0, 1.0, 0.0]))
    assert comparison.flipped_case_ids == ("c000", "c003")


def test_categories_are_adjusted_in_one_family_with_the_overall_test() -> None:
    before = results([1.0] * 20, "primes", "p") + results([1.0] * 10 + [0.0] * 10, "composites", "q")
    after = results([0.0] * 12 + [1.0] * 8, "primes", "p") + results([1.0] * 20, "composites", "q")
    comparison = compare(before, after)
    composites, primes = comparison.categories
    raw = [exact_mcnemar(12, 10), exact_mcnemar(0, 10), exact_mcnemar(12, 0)]
    assert [row.category for row in comparison.categories] == ["composites", "primes"]
    assert [overall_p_adjusted(comparison), composites.p_value_adjusted, primes.p_value_adjusted] == holm(raw)
    assert (composites.moved, composites.effect) == (True, 0.5)
    assert (primes.moved, primes.effect) == (True, -0.6)
    assert comparison.p_value == raw[0] > 0.05


def test_the_worst_cases_are_severe_first_then_long_passing_then_by_id_and_five() -> None:
    severities = {"a": "low", "b": "critical", "c": "high", "d": "critical", "e": "medium", "f": "high", "g": "high"}
    before = [case(name, 1.0, severity=severity) for name, severity in severities.items()]
    after = [case(name, 0.0, severity=severity, failure_category="format") for name, severity in severities.items()]
    comparison = compare(before, after, streaks={"d": 9, "b": 2, "g": 4, "f": 4})
    assert [row.case_id for row in comparison.worst_cases] == ["d", "b", "f", "g", "c"]
    assert comparison.worst_cases[0].passing_nights == 9
    assert comparison.worst_cases[-1].passing_nights == 0
    assert comparison.worst_cases[0].failure_category == "format"
    assert len(comparison.flipped_case_ids) == 7


def test_failure_categories_are_counted_among_the_failing_and_what_grew_most_comes_first() -> None:
    before = [case("a", 0.0, failure_category="format"), case("b", 1.0), case("c", 1.0), case("d", 0.0)]
    after = [case("a", 1.0), case("b", 0.0, failure_category="refusal"), case("c", 0.0, failure_category="refusal")]
    after.append(case("d", 0.0))
    shifts = compare(before, after).failure_shifts
    assert [(row.failure_category, row.baseline, row.candidate) for row in shifts] == [
        ("refusal", 0, 2),
        ("wrong_answer", 1, 1),
        ("format", 1, 0),
    ]


def test_a_sample_that_failed_in_a_passing_case_is_no_failure() -> None:
    rows = [case("a", 0.67, samples=3, failure_category="format")]
    assert compare(rows, rows).failure_shifts == ()


def test_the_detectable_effect_names_the_source_of_its_noise() -> None:
    rows = results([1.0] * 98)
    own, known = compare(rows, rows), compare(rows, rows, aa_discordance=0.3)
    assert (own.mde_source, own.mde_discordance) == ("this comparison", 0.01)
    assert (known.mde_source, known.mde_discordance) == ("a/a", 0.3)
    assert known.mde is not None
    assert own.mde is not None
    assert known.mde > own.mde


@given(st.lists(cells, max_size=60))
def test_swapping_the_runs_negates_everything(rows: list[Cell]) -> None:
    there, back = (maybe_compare(*_two_runs(rows, order)) for order in ((0, 1), (1, 0)))
    if there is None or back is None:
        assert there is back
        return
    assert there.effect == -back.effect
    assert there.p_value == back.p_value
    assert (there.interval.low, there.interval.high) == (-back.interval.high, -back.interval.low)
    assert (there.flipped_to_fail, there.baseline) == (back.flipped_to_pass, back.candidate)
    for one, other in zip(there.categories, back.categories, strict=True):
        assert (one.category, one.effect, one.p_value_adjusted) == (
            other.category,
            -other.effect,
            other.p_value_adjusted,
        )


@given(st.lists(cells, min_size=1, max_size=60))
def test_parts_add_up_and_intervals_hold_their_effect(rows: list[Cell]) -> None:
    comparison = maybe_compare(*_two_runs(rows, (0, 1)))
    if comparison is None:
        return
    assert sum(row.n for row in comparison.categories) == comparison.n
    assert sum(row.flipped_to_fail for row in comparison.categories) == comparison.flipped_to_fail
    assert comparison.candidate - comparison.baseline == pytest.approx(comparison.effect, abs=1e-12)
    assert len(comparison.flipped_case_ids) == comparison.flipped_to_fail
    assert comparison.interval.low <= comparison.effect <= comparison.interval.high
    for row in comparison.categories:
        assert row.interval.low <= row.effect <= row.interval.high


def _two_runs(rows: list[Cell], order: tuple[int, int]) -> tuple[list[CaseResult], list[CaseResult]]:
    before, after = ([case(f"c{i:02d}", row[:2][side], row[2]) for i, row in enumerate(rows)] for side in order)
    return before, after
