"""Pooled nights of two versions: which runs count, and what follows from them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.evalset import SetKind
from monitor.domain.nights import Cells, Failures, Night, NightRows
from monitor.domain.run import Run, RunState, Trigger
from monitor.drift.judge.pooled_conditions import pooled_runs, why_not
from monitor.drift.judge.pooled_versions import PooledChange, pooled_change

START = datetime(2026, 3, 1, 2, tzinfo=UTC)


def manifest(**changes: Any) -> dict[str, Any]:
    return {"judge": "judge-1", "rubric": "1-aa", "target": {"temperature": 0.0}, **changes}


def a_run(number: int, version: str, **changes: Any) -> Run:
    return Run(
        **{
            "id": f"run-{number}",
            "deployment": "bot",
            "set_name": "private",
            "set_kind": SetKind.FROZEN,
            "revision": "r1",
            "trigger": Trigger.SCHEDULED,
            "planned_at": START + timedelta(days=number),
            "finished_at": START + timedelta(days=number, minutes=5),
            "state": RunState.COMPLETE,
            "trace_prefix": "0123456789abcdef",
            "samples": 1,
            "cases": 3,
            "version": version,
            "manifest": manifest(),
            **changes,
        }
    )


def scorers(*runs: Run) -> dict[str, str]:
    return {run.id: "contains 1" for run in runs}


def test_all_nights_with_one_meter_are_pooled() -> None:
    before, after = [a_run(n, "v1") for n in range(5)], [a_run(n, "v2") for n in range(5, 8)]
    found = pooled_runs(before, after, scorers(*before, *after))
    assert found is not None
    assert [run.id for run in found.before] == [f"run-{n}" for n in range(5)]
    assert [run.id for run in found.after] == ["run-5", "run-6", "run-7"]
    assert (found.left_out, found.changed) == ((), ())
    assert found.conditions["judge"] == "judge-1"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"revision": "r0"}, "set revision r1 to r0"),
        (
            {"manifest": {"judge": "judge-2", "rubric": "1-aa", "target": {"temperature": 0.0}}},
            "judge judge-1 to judge-2",
        ),
        ({"manifest": manifest(rubric="2-bb")}, "rubric 1-aa to 2-bb"),
        (
            {"manifest": {"judge": "judge-1", "rubric": "1-aa", "target": {"temperature": 1.0}}},
            "temperature 0.0 to 1.0",
        ),
    ],
)
def test_a_night_under_another_condition_is_named_and_never_pooled(changes: dict[str, Any], reason: str) -> None:
    odd = a_run(0, "v1", **changes)
    before, after = [odd, a_run(1, "v1")], [a_run(2, "v2")]
    found = pooled_runs(before, after, scorers(*before, *after))
    assert found is not None
    assert [run.id for run in found.before] == ["run-1"]
    assert [(one.run.id, one.reason) for one in found.left_out] == [("run-0", reason)]


def test_another_scorer_is_another_condition() -> None:
    before, after = [a_run(0, "v1"), a_run(1, "v1")], [a_run(2, "v2")]
    found = pooled_runs(before, after, scorers(*before, *after) | {"run-0": "contains 2"})
    assert found is not None
    assert [one.reason for one in found.left_out] == ["scorers contains 1 to contains 2"]


def test_the_newest_meter_that_both_versions_have_decides() -> None:
    before = [a_run(0, "v1"), a_run(1, "v1")]
    after = [a_run(2, "v2"), a_run(3, "v2", revision="r2")]
    found = pooled_runs(before, after, scorers(*before, *after))
    assert found is not None
    assert [run.id for run in found.after] == ["run-2"]
    assert [one.run.id for one in found.left_out] == ["run-3"]


def test_versions_without_a_common_meter_are_refused_with_the_difference() -> None:
    before, after = [a_run(0, "v1")], [a_run(1, "v2", revision="r2")]
    known = scorers(*before, *after)
    assert pooled_runs(before, after, known) is None
    assert why_not(before, after, known) == "set revision r1 to r2"


def test_parameters_may_differ_between_versions_and_are_named() -> None:
    warm = manifest(target={"temperature": 1.0})
    before, after = [a_run(0, "v1")], [a_run(1, "v2", manifest=warm)]
    found = pooled_runs(before, after, scorers(*before, *after))
    assert found is not None
    assert found.changed == ("temperature 0.0 to 1.0",)


def rows_of(scores: list[list[list[float]]], categories: list[str] | None = None) -> NightRows:
    """Return nights [night][case][sample]."""
    cells = [(n, c, samples) for n, night in enumerate(scores) for c, samples in enumerate(night) if samples]
    powers = [
        np.array([sum(x**power for x in samples) for _, _, samples in cells], dtype=np.float64) for power in range(4)
    ]
    whole = np.array([n for n, _, _ in cells], dtype=np.int64), np.array([c for _, c, _ in cells], dtype=np.int64)
    made = Cells(night=whole[0], case=whole[1], count=powers[0], first=powers[1], second=powers[2], third=powers[3])
    none = np.zeros(0, dtype=np.int64)
    nothing = np.zeros(0, dtype=np.float64)
    empty = Cells(night=none, case=none, count=nothing, first=nothing, second=nothing, third=nothing)
    cases = len(scores[0])
    return NightRows(
        deployment="bot",
        set_name="private",
        nights=tuple(
            Night(run_id=f"n{n}", at=START, version=None, judge="", change_id=None, revision="r1", cases=cases)
            for n in range(len(scores))
        ),
        categories=tuple(categories or ["all"] * cases),
        cells=made,
        repeats=empty,
        failures=Failures(night=none, case=none, name=(), count=nothing),
        case_ids=tuple(f"case-{c}" for c in range(cases)),
    )


def changed(rows: NightRows, before: int, clusters: dict[str, str] | None = None) -> PooledChange:
    runs = [night.run_id for night in rows.nights]
    found = pooled_change(rows, runs[:before], runs[before:], clusters or {})
    assert found is not None
    return found


def test_a_case_counts_once_however_many_nights_it_has() -> None:
    one_night = [[[1.0]] * 30, [[0.0]] * 6 + [[1.0]] * 24]
    many = [one_night[0]] * 9 + [one_night[1]] * 9
    first, pooled = changed(rows_of(one_night), 1), changed(rows_of(many), 9)
    assert pooled == first
    assert (pooled.overall.change.n, pooled.overall.change.mean) == (30, -0.2)


def test_nights_that_differ_are_averaged_per_case() -> None:
    found = changed(rows_of([[[1.0], [1.0]], [[0.0], [1.0]], [[1.0], [0.0]], [[0.0], [0.0]]]), 2)
    assert (found.overall.before, found.overall.after) == (0.75, 0.25)


def test_more_nights_of_noise_narrow_the_interval() -> None:
    rng = np.random.default_rng(3)
    flips = (rng.random((20, 60, 1)) < 0.7).astype(float).tolist()
    widths = []
    for nights in (1, 10):
        change = changed(rows_of(flips[:nights] + flips[10 : 10 + nights]), nights).overall.change
        assert change.low is not None
        assert change.high is not None
        widths.append(change.high - change.low)
    assert widths[1] < 0.5 * widths[0]


def test_a_case_without_a_score_on_one_side_is_left_out() -> None:
    found = changed(rows_of([[[1.0], [1.0], []], [[0.0], [1.0], [0.0]]]), 1)
    assert found.overall.change.n == 2
    only = rows_of([[[1.0], []], [[], [1.0]]])
    assert pooled_change(only, ["n0"], ["n1"], {}) is None


def test_categories_share_one_family_of_tests() -> None:
    fell = [[[1.0]] * 40, [[0.0]] * 20 + [[1.0]] * 20]
    found = changed(rows_of(fell, ["bad"] * 20 + ["good"] * 20), 1)
    assert (found.categories["bad"].change.mean, found.categories["good"].change.mean) == (-1.0, 0.0)
    raw, adjusted = found.categories["bad"].change.p_value, found.categories["bad"].p_adjusted
    assert raw is not None
    assert adjusted is not None
    assert raw < adjusted < 0.001
    assert found.categories["good"].p_adjusted == 1.0


def test_variants_of_one_case_count_once() -> None:
    scores = [[[1.0]] * 12, [[0.0]] * 6 + [[1.0]] * 6]
    apart = changed(rows_of(scores), 1).overall.change
    grouped = changed(rows_of(scores), 1, {f"case-{n}": "one" for n in range(6)}).overall.change
    assert (apart.clusters, grouped.clusters) == (12, 7)
    assert (grouped.p_value or 0.0) > (apart.p_value or 0.0)


SCORES = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4), min_size=2, max_size=6)


@given(SCORES, SCORES)
def test_the_sides_swapped_give_the_opposite_change_and_the_order_of_nights_is_irrelevant(
    before: list[list[float]], after: list[list[float]]
) -> None:
    nights = [[[value] for value in night] for night in before], [[[value] for value in night] for night in after]
    there = changed(rows_of(nights[0] + nights[1]), len(before)).overall
    back = changed(rows_of(nights[1] + nights[0]), len(after)).overall
    mixed = changed(rows_of(nights[0][::-1] + nights[1][::-1]), len(before)).overall
    assert there.change.mean == pytest.approx(-back.change.mean)
    assert there.change.p_value == pytest.approx(back.change.p_value)
    assert mixed.change.mean == pytest.approx(there.change.mean)
    assert there.change.mean == pytest.approx(there.after - there.before)
    assert -1.0 <= (there.change.low or 0.0) <= there.change.mean <= (there.change.high or 0.0) <= 1.0
