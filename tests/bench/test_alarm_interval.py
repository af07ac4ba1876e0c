"""What the interval of an alert is counted against."""

from dataclasses import replace

import pytest

from bench.drift_study.alerts import alerts_of
from bench.drift_study.cell import Cell
from bench.drift_study.cells_alarm import alarm_cells
from bench.drift_study.figures.alarm_interval import channel_rates, reference_start
from bench.drift_study.ours import tally_runs
from bench.drift_study.tally import Tally
from bench.drift_study.world import draw_history
from tests.bench.fakes import alert, alerts_on, methods, never

DROP = Cell(
    name="test/alarm", figures=(7,), count="alarm_interval", n=60, monitored=60, after=20, change="drop", size=0.05
)
CHANGE = DROP.change_night


def counted(cell: Cell, night: int, **fields: object) -> Tally:
    return tally_runs(cell, range(1), 1, methods(alerts_on(night, **fields)))


def held(tally: Tally, measure: str) -> bool:
    return tally.counts[measure] == {1: 1}


def test_a_drop_detected_on_its_onset_is_the_whole_drop() -> None:
    for ci, inside in (((-0.0501, -0.0499), True), ((-0.06, -0.051), False), ((-0.049, 0.0), False)):
        tally = counted(DROP, CHANGE + 3, onset=CHANGE, ci=ci)
        assert (held(tally, "covered"), held(tally, "covered_whole")) == (inside, inside)
        assert held(tally, "covered_large") == inside


def test_an_onset_detected_too_early_dilutes_the_windows_and_not_the_whole_drop() -> None:
    tally = counted(DROP, CHANGE, onset=CHANGE - 1, ci=(-0.026, -0.024))
    assert held(tally, "covered")
    assert not held(tally, "covered_whole")


def test_an_alarm_before_the_change_has_no_drop() -> None:
    tally = counted(DROP, CHANGE - 1, onset=CHANGE - 4, ci=(-0.01, 0.001))
    assert held(tally, "covered_small")
    assert held(tally, "holds_zero")


def test_a_category_is_compared_on_its_own_cases() -> None:
    cell = replace(DROP, n=300, change="category", size=0.30)
    history = draw_history(cell, 0, 1)
    name = f"category-{history.paths.touched}"
    rates = channel_rates(history, name)
    assert rates[-1] - rates[0] == pytest.approx(-0.30)
    assert held(counted(cell, CHANGE, onset=CHANGE, channel=name, ci=(-0.31, -0.29)), "covered")
    assert not held(counted(cell, CHANGE, onset=CHANGE, ci=(-0.31, -0.29)), "covered")


def test_a_slow_decline_is_compared_on_its_windows_alone() -> None:
    tally = counted(replace(DROP, change="ramp", size=0.01), CHANGE + 3, onset=CHANGE, ci=(-0.0251, -0.0249))
    assert held(tally, "covered")
    assert "covered_whole" not in tally.counts


def test_a_history_without_an_alarm_of_the_score_counts_no_interval() -> None:
    assert tally_runs(DROP, range(1), 1, methods(never)).counts == {"alarm": {0: 1}}
    assert "covered" not in counted(DROP, CHANGE, onset=CHANGE, kind="mix", ci=(-1.0, 1.0)).counts


def test_the_nights_compared_begin_with_the_version_or_with_a_unidentified_version_that_stayed() -> None:
    known = draw_history(replace(DROP, announced=True), 0, 1)
    late = alerts_of({"alerts": [alert(CHANGE + 20, onset=CHANGE + 10)]})
    assert reference_start(known, late, late[0]) == CHANGE
    seen = alerts_of({"alerts": [alert(20, kind="behaviour", onset=19), alert(60, onset=55)]})
    assert reference_start(draw_history(DROP, 0, 1), seen, seen[1]) == 19
    soon = alerts_of({"alerts": [alert(20, kind="behaviour", onset=19), alert(22, onset=19)]})
    assert reference_start(draw_history(DROP, 0, 1), soon, soon[1]) == 0


def test_every_class_has_a_cell_and_a_bar() -> None:
    from bench.drift_study.targets import targets_of

    names = {cell.name for cell in alarm_cells()}
    assert {"7/alarm/shift1", "7/alarm/shift1.5", "7/alarm/trend0.2", "7/alarm/known2/shift"} <= names
    assert all(any(wanted.measure == "covered" for wanted in targets_of(name)) for name in names)
