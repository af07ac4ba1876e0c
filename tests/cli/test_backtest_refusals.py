"""`driftd backtest` refuses an inconsistent line with its number and field, and processes the others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.drift.histories import document, labelled

Line = dict[str, Any]
Spoil = Callable[[Line], object]


def history(id_: str) -> Line:
    """Return two nights of three cases, one of them unscored on the first night."""
    return labelled(document([[1, 0, None], [0, 1, 1]], id=id_))


def field(name: str, value: object) -> Spoil:
    return lambda line: line.update({name: value})


def of_case(name: str, value: object) -> Spoil:
    return lambda line: line["cases"][1].update({name: value})


def of_night(name: str, value: object) -> Spoil:
    return lambda line: line["nights"][1].update({name: value})


def renamed(name: str, to: str) -> Spoil:
    return lambda line: line.update({to: line.pop(name)})


REFUSED: dict[str, tuple[Spoil, str]] = {
    "deployment id twice": (field("id", "first"), "id: 'first' is already used in line 1; ids must be unique"),
    "case id twice": (of_case("id", "case-0"), "cases[1].id: 'case-0' is already the id of cases[0]; ids must differ"),
    "category overall": (
        of_case("category", "overall"),
        "cases[1].category: 'overall' is a reserved channel name; rename the category",
    ),
    "failure label of a passed sample": (
        of_night("labels", [["wrong"], ["wrong"], ["none"]]),
        "nights[1].labels[1]: 0 passed and 1 failed by their labels, but 1 of 1 samples passed",
    ),
    "passed label of a failed sample": (
        of_night("labels", [["none"], ["none"], ["none"]]),
        "nights[1].labels[0]: 1 passed and 0 failed by their labels, but 0 of 1 samples passed",
    ),
    "more labels than samples": (
        of_night("labels", [["wrong"], ["none", "none"], ["none"]]),
        "nights[1].labels[1]: has 2 labels for 1 samples; null is a sample without one",
    ),
    "error of a scored case": (
        of_night("errors", [None, "timeout", None]),
        "nights[1].errors[1]: has the error 'timeout', but the case has a score; give only one of the two",
    ),
    "misspelt field of the history": (renamed("horizon", "horizn"), "horizn: unknown field; did you mean 'horizon'?"),
    "misspelt field of a case": (
        of_case("categroy", "a"),
        "cases[1].categroy: unknown field; did you mean 'category'?",
    ),
    "misspelt field of a night": (
        of_night("sample", [1, 1, 1]),
        "nights[1].sample: unknown field; did you mean 'samples'?",
    ),
    "passes over samples": (
        of_night("passes", [2, 1, 1]),
        "nights[1].passes[0]: 2 passes of 1 samples are impossible",
    ),
    "samples of the wrong length": (
        of_night("samples", [1, 1]),
        "nights[1].samples: has 2 entries, expected one for each of the 3 cases",
    ),
    "passes of the wrong length": (
        of_night("passes", [1, 1]),
        "nights[1].passes: has 2 entries, expected one for each of the 3 cases",
    ),
    "errors of the wrong length": (
        of_night("errors", [None]),
        "nights[1].errors: has 1 entries, expected one for each of the 3 cases",
    ),
    "labels of the wrong length": (
        of_night("labels", [["none"]]),
        "nights[1].labels: must have one list for each of the 3 cases",
    ),
    "alpha out of range": (field("alpha", 0.7), "alpha: must be a number between 0 and 0.5, got 0.7"),
    "alpha_change out of range": (
        field("alpha_change", 0),
        "alpha_change: must be a number between 0 and 0.5, got 0",
    ),
    "night without a version": (
        lambda line: line["nights"][1].pop("version"),
        "nights[1].version: must be a string, got None",
    ),
    "night with an empty version": (of_night("version", ""), "nights[1].version: must be a string, got ''"),
    "revision that is no text": (of_night("revision", 2), "nights[1].revision: must be a string, got 2"),
}


@pytest.mark.parametrize(("spoil", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_line_that_contradicts_itself_is_refused_with_its_number_and_field(
    run: Run, tmp_path: Path, spoil: Spoil, sentence: str
) -> None:
    spoilt = history("spoilt")
    spoil(spoilt)
    path = tmp_path / "histories.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (history("first"), spoilt, history("last"))))
    result = run("backtest", path)
    assert result.code == 2
    assert f"line 2: {sentence}" in result.err.splitlines()
    assert [json.loads(text)["id"] for text in result.out.splitlines()] == ["first", "last"]


@pytest.mark.parametrize(
    ("written", "twice", "name"),
    [
        ('"alpha": 0.05', '"alpha": 0.05, "alpha": 0.01', "alpha"),
        ('"passes": [0, 1, 1]', '"passes": [0, 1, 1], "passes": [1, 1, 1]', "passes"),
        ('"id": "case-0"', '"id": "case-0", "id": "case-9"', "id"),
    ],
)
def test_a_field_that_is_given_twice_is_refused(run: Run, tmp_path: Path, written: str, twice: str, name: str) -> None:
    text = json.dumps(history("shop"))
    assert text.count(written) == 1
    path = tmp_path / "histories.jsonl"
    path.write_text(text.replace(written, twice) + "\n")
    result = run("backtest", path)
    assert (result.code, result.out) == (2, "")
    assert f"line 1: {name}: repeated in one object; field names must be unique" in result.err.splitlines()


def test_blank_lines_count_in_the_number_of_a_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "histories.jsonl"
    path.write_text("\n" + json.dumps(history("first")) + "\n\n" + json.dumps({**history("x"), "alpha": 2}) + "\n")
    assert "line 4: alpha: must be a number between 0 and 0.5, got 2" in run("backtest", path).err.splitlines()
