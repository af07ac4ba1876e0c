from pathlib import Path
from typing import Any

import pytest

from replay.scorers.table import build_scorer
from tests.api.house import House, import_cases, open_house
from tests.api.records import CASES

PATH = "/api/v1/sets"


def test_an_import_writes_a_sealed_revision(house: House) -> None:
    response = house.post(PATH, {"name": "private", "cases": list(CASES), "origin": "primes.jsonl"})
    assert response.status_code == 201
    result = response.json()
    assert (result["name"], result["cases"], result["new"]) == ("private", 3, True)
    [item] = house.get(PATH).json()["items"]
    assert (item["revision"], item["kind"], item["sealed"]) == (result["revision"], "frozen", True)
    assert (item["origin"], item["parent"], item["cases"]) == ("primes.jsonl", None, 3)
    assert len(house.wakes) == 1


def test_an_import_names_the_cases_that_the_scorers_of_the_set_cannot_judge(tmp_path: Path) -> None:
    scorers = {"corrections": [build_scorer("exact", {}), build_scorer("must", {})]}
    bare = {"id": "bare", "input": "Why?", "rubric": "Is it kind?"}
    whole = {"id": "whole", "input": "Is 7 prime?", "reference": "yes", "must_include": ["yes"]}
    with open_house(tmp_path, scorers_of=lambda name: scorers.get(name, [])) as house:
        result = house.post(PATH, {"name": "corrections", "cases": [bare, whole]}).json()
    assert [case["case_id"] for case in result["unscored"]] == ["bare"]
    assert "exact: the case has no reference" in result["unscored"][0]["reason"]
    assert "must: the case has no must_include" in result["unscored"][0]["reason"]


def test_the_same_content_again_is_no_new_revision(house: House) -> None:
    first = import_cases(house)
    again = house.post(PATH, {"name": "private", "cases": list(reversed(CASES))})
    assert (again.status_code, again.json()["revision"], again.json()["new"]) == (200, first, False)


def test_other_content_supersedes_and_names_its_parent(house: House) -> None:
    first = import_cases(house)
    second = import_cases(house, count=2)
    newest, older = house.get(PATH).json()["items"]
    assert (newest["revision"], newest["parent"], older["revision"]) == (second, first, first)


def test_a_dynamic_set_is_imported_in_the_open(house: House) -> None:
    import_cases(house, "corrections")
    [item] = house.get(PATH).json()["items"]
    assert (item["kind"], item["sealed"]) == ("dynamic", False)


def test_a_set_that_is_not_configured_is_unknown_and_the_known_are_listed(house: House) -> None:
    response = house.post(PATH, {"name": "primse", "cases": list(CASES)})
    assert response.status_code == 404
    assert "'primse' is unknown; known: corrections, keyless, private, unused" in response.json()["detail"]


def test_a_frozen_set_without_a_key_is_not_written(house: House) -> None:
    response = house.post(PATH, {"name": "keyless", "cases": list(CASES)})
    assert (response.status_code, response.json()["code"]) == (409, "conflict")
    assert "sets.keyless.key_file" in response.json()["detail"]
    assert house.get(PATH).json()["items"] == []


@pytest.mark.parametrize(
    ("case", "field"),
    [
        ({"id": "x"}, "input"),
        ({"input": "Is 4 a prime?"}, "id"),
        ({"id": "x", "input": "?", "severity": "grave"}, "severity"),
        ({"id": "x", "input": "?", "colour": "red"}, "colour"),
        ({"id": "p-7", "input": "?"}, "p-7"),
    ],
)
def test_a_case_that_is_none_is_named_with_its_field_and_stops_the_import(
    house: House, case: dict[str, Any], field: str
) -> None:
    response = house.post(PATH, {"name": "private", "cases": [*CASES, case]})
    assert (response.status_code, response.json()["code"]) == (422, "validation")
    assert response.json()["detail"].startswith("body.cases case 4: ")
    assert field in response.json()["detail"]
    assert house.get(PATH).json()["items"] == []


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "body.name: Field required"),
        ({"name": "private", "cases": []}, "body.cases"),
        ({"name": "private", "cases": "x"}, "body.cases"),
        ({"name": "private", "cases": [1]}, "body.cases.0"),
        ({"name": "private", "cases": [], "more": 1}, "body.more"),
        ([], "body: "),
    ],
)
def test_a_body_that_is_no_import_names_the_place(house: House, body: Any, where: str) -> None:
    response = house.post(PATH, body)
    assert response.status_code == 422
    assert where in response.json()["detail"]
