"""The stored results of the bench belong to today's code: what decides did not change since they were measured."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from bench.drift import RESULTS, confirm_ours
from bench.drift_study.cells import all_cells
from bench.drift_study.confirm import ChangedResultsError
from bench.drift_study.decisions import (
    changed_numbers,
    constants,
    decisions,
    decisions_path,
    differences,
    numbers_in_functions,
)
from bench.drift_study.figures_page import PAGE, page_with
from bench.drift_study.ledger import read_lines
from bench.drift_study.report import report
from bench.drift_study.sources import deciding_sources
from bench.drift_study.targets import MIN_RUNS, targets_of

OURS = RESULTS / "driftd.jsonl"
BUDGET = next(path for path in deciding_sources() if path.name == "budget.py")
ASK = (
    "\nIf code was only rearranged, run: python bench/drift.py --confirm"
    "\nElse measure all cells again: python bench/drift.py --all --fresh --runs 400 --jobs 2 && "
    "python bench/drift.py --figure 1 --runs 4000 --jobs 2 --compact && python bench/drift.py --write"
)


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(decisions_path(OURS).read_text("utf-8"))
    return made


def test_all_results_are_of_the_code_whose_decisions_are_stored(stored: dict[str, Any]) -> None:
    lines = read_lines(OURS)
    assert {line.code for line in lines} == {stored["code"]}
    assert {line.cell for line in lines} <= set(all_cells())


def test_the_results_were_measured_with_the_constants_and_decisions_of_today(stored: dict[str, Any]) -> None:
    found = list(differences(stored, decisions(stored["code"])))
    assert not found, "\n".join(["the stored results are of code that decides otherwise:", *found[:10], ASK])


def test_the_page_of_figures_shows_what_is_stored() -> None:
    page = PAGE.read_text("utf-8")
    assert page_with(report(RESULTS, seed=1), page) == page, "run: python bench/drift.py --write"


def test_every_cell_with_a_bar_was_measured() -> None:
    runs = dict.fromkeys(all_cells(), 0)
    for line in read_lines(OURS):
        runs[line.cell] += line.tally.runs
    assert not [name for name, done in runs.items() if targets_of(name) and done < MIN_RUNS]


@pytest.mark.parametrize(
    ("written", "instead"), [("0.31, 0.32, 0.33", "0.31, 0.42, 0.33"), ("score=0.9, mix=0.0", "score=0.8, mix=0.0")]
)
def test_a_changed_constant_of_the_budget_is_another_decision(written: str, instead: str) -> None:
    source = BUDGET.read_text("utf-8")
    was, now = (constants([ast.parse(text)]) for text in (source, source.replace(written, instead)))
    (verdicts,) = differences(was, now)
    assert ": was " in verdicts


def test_comments_docstrings_and_another_module_are_no_other_decision() -> None:
    source = BUDGET.read_text("utf-8")
    commented = source.replace("_HORIZONS = (30, 90, 180, 365)", "# nights\n_HORIZONS = (30, 90,\n    180, 365)")
    assert commented != source
    split = [ast.parse(part) for part in source.split("\n\n@dataclass", 1)[:1]]
    rest = ast.parse("import math\n@dataclass" + source.split("\n\n@dataclass", 1)[1])
    whole = constants([ast.parse(source)])
    assert constants([ast.parse(commented)]) == whole
    assert constants([*split, rest]) == whole


def test_what_decides_is_found_without_importing_it() -> None:
    names = {path.name for path in deciding_sources()}
    assert {"detector.py", "announced_change.py", "budget.py", "shiryaev_roberts.py", "attribution.py"} <= names
    assert "wording.py" not in names


def test_an_alert_on_another_night_is_reported_with_its_place() -> None:
    was = {"histories": {"2/drop5/shift": {"alerts": [[{"night": 74, "e": 3600.0}]]}}}
    now = {"histories": {"2/drop5/shift": {"alerts": [[{"night": 75, "e": 3600.1}]]}}}
    assert list(differences(was, now)) == ["histories/2/drop5/shift/alerts[0][0]/night: was 74, is 75"]


def test_a_missing_alert_is_another_decision() -> None:
    assert list(differences({"alerts": [[1]]}, {"alerts": [[]]})) == ["alerts[0]: was [1], is []"]


def test_results_in_a_file_of_their_own_have_decisions_of_their_own() -> None:
    assert decisions_path(Path("results/other.jsonl")) == Path("results/other.decisions.json")


KEPT = """
FRACTIONS = (0.38, 0.5, 1)
LEAST = -0.5


def bound(x):
    return 690.0 * x[0]
"""
REARRANGED = {
    "renamed": ("LEAST", "LOWEST"),
    "moved": ("LEAST = -0.5\n", ""),
    "taken out of a function": ("return 690.0 * x[0]", "return LARGEST * x[0]\nLARGEST = 690.0"),
    "written twice": ("return 690.0 * x[0]", "return 690.0 * x[0] if x else 690.0"),
}
CHANGED = {
    "another fraction": ("0.38, 0.5", "0.38, 0.6", ["0.5 is gone", "0.6 is new"]),
    "another sign": ("-0.5", "0.5", ["-0.5 is gone", "0.5 is new"]),
    "a one of a constant": ("0.5, 1)", "0.5, 2)", ["1 is gone"]),
    "a number of a function": ("690.0", "700.0", ["690 is gone", "700 is new"]),
    "a number of another constant": ("0.38, 0.5", "0.5, 0.5", ["0.38 is gone", "0.5 is new"]),
}


def changed(*modules: str) -> list[str]:
    """What is told of code that was KEPT when it was measured, and is these modules now."""
    was = [ast.parse(KEPT)]
    stored = {"constants": constants(was), "numbers_in_functions": numbers_in_functions(was)}
    return changed_numbers(stored, [ast.parse(module) for module in modules])


@pytest.mark.parametrize(("written", "instead"), REARRANGED.values(), ids=REARRANGED)
def test_rearranged_code_may_be_confirmed(written: str, instead: str) -> None:
    assert written in KEPT
    in_grids = "" if instead else written
    assert changed(KEPT.replace(written, instead), in_grids) == []


@pytest.mark.parametrize(("written", "instead", "verdicts"), CHANGED.values(), ids=CHANGED)
def test_a_changed_number_may_not_be_confirmed(written: str, instead: str, verdicts: list[str]) -> None:
    assert changed(KEPT.replace(written, instead)) == verdicts


def test_confirming_is_refused_after_a_changed_number_and_without_stored_decisions(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    path = tmp_path / "driftd.jsonl"
    with pytest.raises(ChangedResultsError, match="no decisions are stored"):
        confirm_ours(path)
    fractions = {**stored["constants"], "_FRACTION_OF_SCORES": ["(0.38, 0.48, 0.6, 0.52)"]}
    decisions_path(path).write_text(json.dumps({**stored, "constants": fractions}))
    with pytest.raises(ChangedResultsError, match="measure again with --fresh, since numbers changed: "):
        confirm_ours(path)
