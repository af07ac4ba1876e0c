"""Runs can be stopped and gone on with, and results of other code are refused."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.drift_study.cell import Cell
from bench.drift_study.confirm import ChangedResultsError, confirm
from bench.drift_study.ledger import Ledger, Line, OtherCodeError, code_hash
from bench.drift_study.ours import our_sources
from bench.drift_study.rivals.table import RIVALS, rival_sources
from bench.drift_study.runner import do_task, gaps, run_tasks, tasks_left
from bench.drift_study.tally import Tally

CELL = Cell(name="test/cell", figures=(1,), count="false_alarms")


def count_runs(_cell: Cell, runs: Iterable[int], seed: int) -> Tally:
    tally = Tally()
    for run in runs:
        tally.runs += 1
        tally.count("odd", run % 2)
        tally.add("run", run + seed)
        tally.add_vector("vector", [run, 1])
        tally.keep("value", run / 3)
    return tally


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "results" / "driftd.jsonl", code="abc")


def run(ledger: Ledger, *, runs: int, chunk: int = 4, seed: int = 1, jobs: int = 1) -> int:
    tasks = tasks_left([CELL], ledger, runs=runs, chunk=chunk, seed=seed)
    run_tasks(tasks, ledger, count_runs, jobs=jobs)
    return len(tasks)


def test_a_second_run_does_only_what_is_missing(ledger: Ledger) -> None:
    assert run(ledger, runs=8) == 2
    assert run(ledger, runs=8) == 0
    assert run(ledger, runs=14) == 2
    assert sorted(ledger.done(1)[CELL.name]) == [(0, 4), (4, 8), (8, 12), (12, 14)]
    assert ledger.tallies()[CELL.name].runs == 14


def test_chunks_and_processes_do_not_change_the_sum(ledger: Ledger, tmp_path: Path) -> None:
    run(ledger, runs=10, chunk=10)
    other = Ledger(tmp_path / "other.jsonl", code="abc")
    run(other, runs=10, chunk=3, jobs=2)
    one, many = ledger.tallies()[CELL.name], other.tallies()[CELL.name]
    assert one.counts == many.counts
    assert one.sums == many.sums
    assert one.vectors == many.vectors
    assert sorted(one.values["value"]) == sorted(many.values["value"])


def test_another_seed_is_another_result(ledger: Ledger) -> None:
    run(ledger, runs=4)
    assert run(ledger, runs=4, seed=2) == 1


def test_results_of_other_code_are_refused(ledger: Ledger) -> None:
    run(ledger, runs=4)
    with pytest.raises(OtherCodeError, match="holds results of code abc, this is def"):
        tasks_left([CELL], Ledger(ledger.path, code="def"), runs=4, chunk=4, seed=1)


def test_a_line_cut_off_by_a_kill_is_done_again(ledger: Ledger) -> None:
    run(ledger, runs=8)
    text = ledger.path.read_text()
    ledger.path.write_text(text[:-20])
    assert run(ledger, runs=8) == 1
    assert ledger.tallies()[CELL.name].runs == 8


def test_compacting_keeps_every_sum(ledger: Ledger) -> None:
    run(ledger, runs=10, chunk=3)
    before = ledger.tallies()[CELL.name].to_json()
    ledger.compact()
    assert [(line.start, line.stop) for line in ledger.lines()] == [(0, 3), (3, 10)]
    assert ledger.tallies()[CELL.name].to_json() == before
    assert run(ledger, runs=10) == 0


def test_a_hole_between_stored_chunks_is_found() -> None:
    assert list(gaps([(4, 8)], 10)) == [(0, 4), (8, 10)]
    assert list(gaps([(0, 40)], 10)) == []


def test_a_stored_line_reads_back_as_it_was(ledger: Ledger) -> None:
    line = do_task(tasks_left([CELL], ledger, runs=3, chunk=3, seed=1)[0], count_runs, "abc")
    ledger.append(line)
    (found,) = ledger.lines()
    assert isinstance(found, Line)
    assert found.tally.to_json() == line.tally.to_json()


def test_the_code_s_hash_changes_with_the_code_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    hashes = []
    for text in (
        "def f():\n    return 1\n",
        'def f():\n    """Says it."""\n    return 1  # one\n',
        "def f():\n    return 2\n",
    ):
        path.write_text(text)
        hashes.append(code_hash([path], "1"))
    assert hashes[0] == hashes[1] != hashes[2]
    assert code_hash([path], "2") != hashes[2]


def test_results_depend_on_the_world_the_counts_and_the_detector() -> None:
    ours = {path.name for path in our_sources()}
    assert {
        "paths.py",
        "detection.py",
        "limit.py",
        "backtest.py",
        "detector.py",
        "comparison.py",
        "attribution.py",
    } <= ours
    for name in RIVALS:
        sources = rival_sources(name)
        assert all(path.exists() for path in sources)
        assert {"paths.py", "series.py"} <= {path.name for path in sources}


def test_results_of_rearranged_code_are_valid_when_a_repeated_chunk_is_equal(ledger: Ledger) -> None:
    run(ledger, runs=10)
    told: list[str] = []
    assert confirm(ledger.path, {CELL.name: CELL}, count_runs, code="def", tell=told.append) == 1
    assert told == ["test/cell: runs 8-9 are the same\n"]
    assert Ledger(ledger.path, code="def").tallies()[CELL.name].runs == 10


def test_results_with_a_different_chunk_are_rejected(ledger: Ledger) -> None:
    run(ledger, runs=10)

    def count_other(cell: Cell, runs: Iterable[int], seed: int) -> Tally:
        return count_runs(cell, [number + 1 for number in runs], seed)

    with pytest.raises(ChangedResultsError, match="of test/cell come out differently"):
        confirm(ledger.path, {CELL.name: CELL}, count_other, code="def", tell=str)
    assert ledger.tallies()[CELL.name].runs == 10
