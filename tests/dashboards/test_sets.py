"""The page Sets over the daemon's own API: what a set measures, its condition, what it can detect, and its changes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st

from monitor.jobs.maintenance.set_health_loop import SetHealthLoop
from monitor.store.traffic import interactions
from tests.api.house import NOW, SEALER, House, import_cases, open_house
from tests.api.policies import policy
from tests.api.rows import add_run
from tests.asgi_server import serving
from tests.store.build import interaction

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


def test_one_set_has_its_share_of_each_category_beside_that_of_production(open_page: OpenPage, house: House) -> None:
    calls = [
        interaction(f"call-{n}", started_at=NOW, deployment="bot", category="shipping" if n < 3 else "typo")
        for n in range(4)
    ]
    with house.store.write() as tx:
        interactions.insert(tx, calls)
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"set": "private"})
    assert "**Coverage of production by category**" in everything(page)
    table = next(one.value for one in page.dataframe if "coverage" in one.value)
    rows = list(zip(table["category"], table["of production (%)"], table["calls"], table["coverage"], strict=True))
    assert rows[:2] == [("shipping", 75.0, 3, "no case"), ("typo", 25.0, 1, "no case")]
    assert sum(table["of the set (%)"]) == pytest.approx(100.0, abs=0.2)


def measure(house: House) -> None:
    loop = SetHealthLoop(
        store=house.store,
        policy=policy(),
        clock=house.clock,
        sealer_of={"private": SEALER}.get,
        code_version="0.1.0+test",
    )
    for _ in range(12):
        loop.step()


def test_the_list_has_the_health_of_each_set_and_filters_by_it(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        before = everything(open_page(url, PAGE))
        measure(house)
        st.cache_data.clear()
        text = everything(open_page(url, PAGE))
        assert "No set matches these filters" in everything(open_page(url, PAGE, {"health": "unknown"}))
        assert "exposure 0 without a budget" in everything(open_page(url, PAGE, {"health": "ok"}))
    assert "health not measured" in before
    assert "no concern" in text
    assert "exposure 0 without a budget, median age of cases 0 days; measured" in text


def test_one_set_has_its_condition_over_time(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "No day is measured yet" in everything(open_page(url, PAGE, {"set": "private"}))
        measure(house)
        st.cache_data.clear()
        text = everything(open_page(url, PAGE, {"set": "private"}))
    assert "1 UTC day; each point is the end of its day" in text
    assert "Without a value in these days: Saturated cases, Calls near no case" in text


def test_an_imported_revision_has_what_entered_left_and_changed(open_page: OpenPage, house: House) -> None:
    cases = [
        {"id": "p-7", "input": "Is 7 a prime number?", "reference": "yes"},
        {"id": "p-13", "input": "Is 13 a prime?", "reference": "yes"},
    ]
    house.clock.instant += timedelta(days=1)
    order = {"name": "private", "cases": cases, "origin": "second.yaml"}
    house.post("/api/v1/sets", order).raise_for_status()
    with serving(house.app) as url:
        page = open_page(url, PAGE, {"set": "private"})
        first = house.get("/api/v1/sets").json()["items"][1]["revision"][:12]
        oldest = everything(open_page(url, PAGE, {"set": "private", "revision": first}))
    assert "**1** entered, **2** left, **1** changed, 0 stayed. Source of the revision: second.yaml." in everything(
        page
    )
    table = page.dataframe[-1].value
    assert list(zip(table["case"], table["change"], strict=True)) == [
        ("p-13", "entered"),
        ("c-9", "left"),
        ("p-11", "left"),
        ("p-7", "changed"),
    ]
    assert "The first revision: 3 cases entered" in oldest


def test_an_unknown_set_is_named(open_page: OpenPage, house: House) -> None:
    with serving(house.app) as url:
        assert "The set nope has no cases" in everything(open_page(url, PAGE, {"set": "nope"}))


def test_the_api_and_the_overview_have_what_a_set_measures(house: House) -> None:
    assert house.get("/api/v1/sets").json()["items"][0]["measures"] == MEANING
    rows = house.get("/api/v1/overview").json()["items"]
    found = {one["set_name"]: one["measures"] for row in rows for one in row["sets"]}
    assert found["private"] == MEANING
    assert set(found.values()) <= {MEANING, None}


def test_the_run_card_has_what_a_set_measures(house: House) -> None:
    add_run(house, "run-1")
    assert house.get("/api/v1/runs/run-1/card").json()["measures"] == MEANING
