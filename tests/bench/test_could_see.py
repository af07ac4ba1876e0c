"""The bench computes the smallest detectable effect of a history, and simulates a fall of exactly that size."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.drift import confirm_could_see
from bench.drift_study.confirm import ChangedResultsError
from bench.drift_study.could_see import PROMISES, could_see_cells, could_see_sources, tally_could_see
from bench.drift_study.decisions import constants, deciding_trees, decisions_path, numbers_in_functions
from bench.drift_study.ledger import Line, code_hash, read_lines, write_lines
from bench.drift_study.report_could_see import could_see_section
from bench.drift_study.runner import Task, do_task
from bench.drift_study.tally import Tally
from bench.drift_study.world import WORLD, draw_history

SMALL = replace(could_see_cells()["could_see/n100/usual"], n=60, monitored=13, after=6)


def test_each_promise_has_a_size_and_a_count() -> None:
    tally = tally_could_see(SMALL, range(2), 1)
    for scenario, nights in PROMISES:
        measure = f"{scenario}_{nights}"
        assert tally.counts[f"{measure}_promised"].total() == 2
        n, total, _ = tally.sums.get(f"{measure}_size", (0, 0.0, 0.0))
        assert tally.counts.get(f"{measure}_found", Counter()).total() == n
        assert 0.0 <= total < n or n == 0


def test_the_nights_before_are_the_same_whatever_falls_after_them() -> None:
    without = draw_history(SMALL, 0, 1)
    fallen = draw_history(replace(SMALL, change="drop", size=0.2, announced=True), 0, 1)
    until = SMALL.version_night
    assert np.array_equal(without.passes[:until], fallen.passes[:until])
    assert fallen.passes[until:].mean() < without.passes[until:].mean()


def test_the_results_depend_on_what_computes_the_promise() -> None:
    names = {path.name for path in could_see_sources()}
    assert {"detectable.py", "power.py", "fall_score.py", "known_power.py", "detector.py", "could_see.py"} <= names


@pytest.mark.parametrize(
    ("found", "verdict"), [(50, "not reached"), (152, "reached"), (165, "reached"), (200, "not reached")]
)
def test_a_share_is_reached_between_three_quarters_and_nine_tenths(tmp_path: Path, found: int, verdict: str) -> None:
    tally = Tally(
        runs=200,
        counts={"silent_1_found": Counter({1: found, 0: 200 - found})},
        sums={"silent_1_size": (200, 200 * 0.09, 2.0)},
    )
    line = Line(cell="could_see/n300/usual", seed=1, start=0, stop=200, code="x", seconds=1.0, tally=tally)
    write_lines(tmp_path / "could_see.jsonl", [line])
    section = could_see_section(tmp_path, seed=1)
    (row,) = [text for text in section.splitlines() if "9.0 points" in text]
    assert row.rstrip(" |").endswith(f"| {verdict}")
    assert section.count("| not run |\n") == 3, "the other promises have no run"


def test_nothing_stored_has_no_section(tmp_path: Path) -> None:
    assert could_see_section(tmp_path, seed=1) == ""


def stored_could_see(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """One stored cell of an earlier code, and the decisions of today."""
    monkeypatch.setattr("bench.drift.could_see_cells", lambda: {SMALL.name: SMALL})
    path, decided = folder / "could_see.jsonl", folder / "driftd.jsonl"
    write_lines(path, [replace(do_task(Task(cell=SMALL, seed=1, start=0, stop=1), tally_could_see, "old"))])
    trees = deciding_trees()
    numbers = {"constants": constants(trees), "numbers_in_functions": numbers_in_functions(trees)}
    decisions_path(decided).write_text(json.dumps(numbers))
    return path, decided


def test_results_of_rearranged_code_are_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, decided = stored_could_see(tmp_path, monkeypatch)
    confirm_could_see(path, decided)
    assert {line.code for line in read_lines(path)} == {code_hash(could_see_sources(), WORLD)}


def test_results_that_come_out_differently_are_not_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, decided = stored_could_see(tmp_path, monkeypatch)
    (line,) = read_lines(path)
    line.tally.counts["silent_1_promised"] = (
        Counter({0: 1}) if line.tally.counts["silent_1_promised"][1] else Counter({1: 1})
    )
    write_lines(path, [line])
    with pytest.raises(ChangedResultsError, match="come out differently"):
        confirm_could_see(path, decided)
    assert {line.code for line in read_lines(path)} == {"old"}


def test_a_changed_number_refuses_the_confirmation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, decided = stored_could_see(tmp_path, monkeypatch)
    numbers = json.loads(decisions_path(decided).read_text())
    decisions_path(decided).write_text(json.dumps(numbers | {"constants": {}}))
    with pytest.raises(ChangedResultsError, match="since numbers changed"):
        confirm_could_see(path, decided)
