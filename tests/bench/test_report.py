"""The tables show the stored results with their error, and whether the target is reached."""

from collections import Counter
from pathlib import Path

import pytest

from bench.drift_study.cells import all_cells
from bench.drift_study.ledger import Ledger, Line
from bench.drift_study.limit import SIZES, THRESHOLDS
from bench.drift_study.report import report
from bench.drift_study.report_delay import CELLS, limit_delay
from bench.drift_study.report_grid import grid_cells
from bench.drift_study.shares import Share, mean, median
from bench.drift_study.tally import Tally
from bench.drift_study.targets import TARGETS, targets_of

REPORTED_ONLY = ("3/churn/", "3/collapse15/", "3/collapse30/", "3/collapse97/")


def stored(folder: Path, name: str, cell: str, tally: Tally) -> None:
    line = Line(cell=cell, seed=1, start=0, stop=tally.runs, code="abc", seconds=1.0, tally=tally)
    Ledger(folder / f"{name}.jsonl", code="abc").append(line)


def counted(yes: int, no: int, measure: str = "alarm") -> Tally:
    return Tally(runs=yes + no, counts={measure: Counter({1: yes, 0: no})})


def test_a_rate_within_two_errors_of_the_target_is_reached(tmp_path: Path) -> None:
    stored(tmp_path, "driftd", "1/null/n100/k1/still", counted(210, 3790))
    stored(tmp_path, "driftd", "1/null/n100/k3/still", counted(300, 3700))
    lines = report(tmp_path, seed=1).splitlines()
    assert "| 1/null/n100/k1/still | 4000 | false alarms | ≤ 5 % | 5.2 ± 0.4 % | reached |" in lines
    assert "| 1/null/n100/k3/still | 4000 | false alarms | ≤ 5 % | 7.5 ± 0.4 % | not reached |" in lines


def test_results_of_another_seed_are_not_mixed_in(tmp_path: Path) -> None:
    stored(tmp_path, "driftd", "1/null/n100/k1/still", counted(1, 99))
    assert report(tmp_path, seed=2) == ""


def test_a_rival_is_reported_with_its_own_and_a_tuned_threshold(tmp_path: Path) -> None:
    peaks = [1.0 + run / 50 for run in range(100)]
    stored(tmp_path, "two_proportion", "1/null/n300/k1/still", Tally(runs=100, values={"before": peaks}))
    stored(tmp_path, "two_proportion", "2/drop2/shift", Tally(runs=4, values={"nights_7": [2.0, 2.5, 3.0, 9.0]}))
    own, tuned = [line for line in report(tmp_path, seed=1).splitlines() if line.startswith("| two-proportion")]
    assert "52.0 ±" in own
    assert "100.0 ±" in own
    assert "4.0 ±" in tuned
    assert "50.0 ±" in tuned


def test_the_limit_is_read_at_the_lowest_threshold_with_as_few_false_alarms() -> None:
    width = len(THRESHOLDS)
    falling = [max(0, 100 - at) for at in range(width)]
    null = Tally(runs=100, vectors={f"crossed_{size:g}": falling for size in SIZES})
    rising = [at * 10 for at in range(width)]
    change = Tally(runs=10, vectors={"clean": [10] * width, "delays": rising})
    assert limit_delay(change, null, 2, 0.05) == 95.0


def test_every_cell_of_the_counted_figures_has_a_target() -> None:
    for name, cell in all_cells().items():
        if cell.figures[0] in (1, 2, 3, 5, 8) and "ramp" not in name and not name.startswith(REPORTED_ONLY):
            assert targets_of(name), name


def test_every_bar_is_that_of_some_cell() -> None:
    for start, target in TARGETS.items():
        assert target in [targets_of(name) for name in all_cells() if name.startswith(start)], start


@pytest.mark.parametrize(
    ("cell", "bound_text"),
    [
        ("1/null/n805/k3/rho100/still", "≤ 0 %"),
        ("1/null/n805/k3/rho100/night_clipped", "≤ 5 %"),
        ("2/drop2/shift", "≥ 42 %"),
        ("2/drop2/redraw", "≥ 97 %"),
        ("2/drop5/shift", "≥ 100 %"),
        ("5/surge3", "≥ 97 %"),
        ("5/surge3_moved", "≥ 97 %"),
        ("8/varied_k/silent_drop2", "≥ 33.6 %"),
        ("3/churn/c10/fall0", "≤ 5 %"),
    ],
)
def test_each_world_has_its_own_bar(cell: str, bound_text: str) -> None:
    assert targets_of(cell)[0].bound_text == bound_text


def test_a_fall_that_is_only_reported_has_no_bar() -> None:
    assert targets_of("3/churn/c10/fall0.5") == ()


def test_a_family_of_cells_is_one_row_with_the_columns_that_fail(tmp_path: Path) -> None:
    world = "3/noisier/rho60/c10/n300/k1/announced"
    for pull, yes in ((5, 4), (10, 5), (20, 48), (40, 60)):
        stored(tmp_path, "driftd", f"{world}/pull{pull}", counted(yes, 100 - yes))
    found = report(tmp_path, seed=1)
    assert (
        f"| {world}/… | 100 | ≤ 5 % | 4.0 ± 2.3 % | 5.0 ± 2.5 % | 48.0 ± 4.9 % | 60.0 ± 4.8 % "
        "| not reached: pulled 20 %, pulled 40 % |"
    ) in found.splitlines()
    assert "### Figure 3\n" not in found


def test_a_cell_that_was_not_run_is_no_zero_in_its_row(tmp_path: Path) -> None:
    stored(tmp_path, "driftd", "3/collapse50/at100/n20/after1", counted(100, 0, "found_1"))
    row = next(line for line in report(tmp_path, seed=1).splitlines() if "/at100/n20/" in line)
    assert row.count("not run") == 5
    assert row.endswith("| reached |")


def test_the_grids_show_every_cell_of_new_versions() -> None:
    assert grid_cells() == {name for name in all_cells() if name.startswith(("3/noisier", "3/churn", "3/collapse"))}


def timed(seconds: float) -> Tally:
    """Ten histories of that many processor seconds."""
    return Tally(runs=10, sums=dict.fromkeys(("seconds", "reference_seconds", "ratio"), (10, 10 * seconds, 0.0)))


@pytest.mark.parametrize(
    ("seconds", "verdicts"),
    [
        (0.22, "| 4.40 (1.10 times the seconds a night) | reached |"),
        (0.6, "| 12.00 (3.00 times the seconds a night) | not reached |"),
    ],
)
def test_the_cost_of_longer_histories_is_detected_by_the_night(tmp_path: Path, seconds: float, verdicts: str) -> None:
    stored(tmp_path, "driftd", "9/speed", timed(0.05))
    stored(tmp_path, "driftd", "9/speed/776", timed(seconds))
    rows = [line for line in report(tmp_path, seed=1).splitlines() if line.startswith("| 9/speed/776")]
    assert rows[-1] == f"| 9/speed/776 | 10 | seconds over those of 194 nights | ≤ 4.6 {verdicts}"


def test_the_cells_of_the_delays_exist() -> None:
    assert all(f"{start}/{world}" in all_cells() for start in CELLS.values() for world in ("shift", "redraw"))


@pytest.mark.parametrize(("yes", "n"), [(0, 4000), (200, 4000), (4000, 4000)])
def test_a_share_always_has_an_error(yes: int, n: int) -> None:
    assert 0.0 < Share(yes=yes, n=n).error < 0.01


def test_the_middle_and_the_mean_of_counted_nights() -> None:
    nights = Counter({1: 2, 5: 1, 8: 1})
    assert median(nights) == 3.0
    assert mean(nights) == 3.75
