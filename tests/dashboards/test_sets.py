"""The page Sets over the daemon's own API: what a set measures, its condition, what it can detect, and its changes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.api.house import House, import_cases, open_house
from tests.api.policies import policy
from tests.asgi_server import serving

from .conftest import OpenPage, everything

PAGE = "sets"
MEANING = "Whether the bot knows small primes."


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    known = policy()
    sets = dict(known.sets) | {"private": replace(known.sets["private"], measures=MEANING)}
    with open_house(tmp_path, known=replace(known, sets=sets)) as opened:
        import_cases(opened)
        yield opened


def test_without_a_set_the_page_says_how_to_write_one(open_page: OpenPage, tmp_path: Path) -> None:
    with open_house(tmp_path) as empty, serving(empty.app) as url:
        page = open_page(url, PAGE)
    assert "No set has cases yet" in everything(page)


def test_the_list_has_what_a_set_measures_and_filters_in_the_address(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        text = everything(open_page(url, PAGE))
        assert f"Measures: {MEANING}" in text
        assert "3 cases, sealed" in text
        assert "No set matches these filters" in everything(open_page(url, PAGE, {"kind": "dynamic"}))
        assert f"Measures: {MEANING}" in everything(open_page(url, PAGE, {"text": "small primes"}))


def test_one_set_has_its_condition_and_says_what_is_missing_for_the_rest(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"set": "private"})
    text = everything(page)
    assert f"**Measures:** {MEANING}" in text
    assert "The set has no complete run" in text
    assert "it needs scored nights of the newest version" in text
    table = page.dataframe[0].value
    assert list(table["property"])[:3] == ["Saturation", "Always pass, never pass", "Separating"]
    assert "Redundancy" in set(table["property"])


def test_an_unknown_set_is_named(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "The set nope has no cases" in everything(open_page(url, PAGE, {"set": "nope"}))


def test_the_api_and_the_overview_have_what_a_set_measures(house: House) -> None:
    assert house.get("/api/v1/sets").json()["items"][0]["measures"] == MEANING
    rows = house.get("/api/v1/overview").json()["items"]
    found = {one["set_name"]: one["measures"] for row in rows for one in row["sets"]}
    assert found["private"] == MEANING
    assert set(found.values()) <= {MEANING, None}
