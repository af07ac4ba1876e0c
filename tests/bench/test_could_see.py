"""The bench asks a history what it could see, and lets exactly that happen."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.drift_study.could_see import PROMISES, could_see_cells, could_see_sources, tally_could_see
from bench.drift_study.ledger import Line, write_lines
from bench.drift_study.report_could_see import could_see_section
from bench.drift_study.tally import Tally
from bench.drift_study.world import draw_history

SMALL = replace(could_see_cells()["could_see/n100/usual"], n=60, monitored=13, after=6)


def test_each_promise_has_a_size_and_a_count() -> None:
    tally = tally_could_see(SMALL, range(2), 1)
    for situation, nights in PROMISES:
        measure = f"{situation}_{nights}"
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
    assert {"detectable.py", "silent_power.py", "fall_score.py", "known_power.py", "watch.py", "could_see.py"} <= names


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
