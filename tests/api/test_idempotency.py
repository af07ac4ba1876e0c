from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import runs
from monitor.store.traffic import interactions, versions
from tests.api.house import House, import_cases, open_house
from tests.api.records import interaction
from tests.api.rows import add_change, add_version

CHANGE = {"deployment": "bot", "model": "gpt-5"}


def test_the_same_request_again_is_answered_from_memory(house: House) -> None:
    first = house.post("/api/v1/changes", CHANGE, key="deploy-7")
    again = house.post("/api/v1/changes", CHANGE, key="deploy-7")
    assert (first.status_code, first.text) == (again.status_code, again.text)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert len(house.get("/api/v1/changes").json()["items"]) == 1


def test_a_batch_sent_again_under_its_key_reports_what_it_reported_first(house: House) -> None:
    batch = [interaction(), {"bad": 1}]
    first = house.post("/api/v1/interactions", batch, key="k")
    again = house.post("/api/v1/interactions", batch, key="k")
    assert again.json() == first.json() == {**first.json(), "accepted": 1, "duplicates": 0}
    assert house.get("/api/v1/status").json()["dead_letters"] == 1


@pytest.mark.parametrize(
    ("path", "body", "other"),
    [
        ("/api/v1/changes", CHANGE, CHANGE | {"model": "gpt-6"}),
        ("/api/v1/interactions", interaction(), interaction(id="call-2")),
    ],
)
def test_a_key_with_another_body_is_refused_and_does_nothing(house: House, path: str, body: Any, other: Any) -> None:
    house.post(path, body, key="k")
    refused = house.post(path, other, key="k")
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")
    assert len(house.get(path).json()["items"]) == 1


def test_a_key_means_nothing_on_another_route(house: House) -> None:
    assert house.post("/api/v1/interactions", [], key="k").status_code == 200
    assert house.post("/api/v1/feedback", [], key="k").headers.get("idempotency-replayed") is None


def test_an_error_is_not_remembered(house: House) -> None:
    order = {"deployment": "bot", "set_name": "private"}
    assert house.post("/api/v1/runs", order, key="k").status_code == 409
    import_cases(house)
    assert house.post("/api/v1/runs", order, key="k").status_code == 201


@pytest.mark.parametrize("key", ["", " ", "two words", "x" * 256, "tab\there"])
def test_a_key_that_is_none_is_refused(house: House, key: str) -> None:
    response = house.post("/api/v1/changes", CHANGE, key=key)
    assert (response.status_code, response.json()["code"]) == (422, "validation")


def test_concurrent_requests_with_one_key_write_once(house: House) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: house.post("/api/v1/changes", CHANGE, key="k"), range(8)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert sum("idempotency-replayed" in answer.headers for answer in answers) == 7
    with house.store.read() as tx:
        assert len(versions.page_changes(tx, PageQuery()).items) == 1


def test_concurrent_batches_with_one_key_are_counted_once(house: House) -> None:
    batch = [interaction(id=f"call-{n}") for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: house.post("/api/v1/interactions", batch, key="k"), range(8)))
    assert {answer.text for answer in answers} == {'{"accepted":20,"duplicates":0,"rejected":[]}'}
    assert sum("idempotency-replayed" in answer.headers for answer in answers) == 7
    with house.store.read() as tx:
        assert interactions.count(tx) == 20


def test_concurrent_orders_of_one_run_without_a_key_plan_it_once(house: House) -> None:
    import_cases(house)
    order = {"deployment": "bot", "set_name": "private"}
    with ThreadPoolExecutor(8) as pool:
        codes = sorted(r.status_code for r in pool.map(lambda _: house.post("/api/v1/runs", order), range(8)))
    assert codes == [201] + [409] * 7
    with house.store.read() as tx:
        assert len(runs.page(tx, PageQuery()).items) == 1


def test_memory_outlives_the_process(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        first = house.post("/api/v1/changes", CHANGE, key="k")
    with open_house(tmp_path) as house:
        again = house.post("/api/v1/changes", CHANGE, key="k")
    assert (again.text, again.headers["idempotency-replayed"]) == (first.text, "true")


def test_a_write_wakes_the_loops_and_a_replayed_one_does_not(house: House) -> None:
    house.post("/api/v1/changes", CHANGE, key="k")
    house.post("/api/v1/changes", CHANGE, key="k")
    assert len(house.wakes) == 1


def test_a_refused_write_wakes_no_one(house: House) -> None:
    add_version(house, "v1")
    add_change(house, "change-1", "v1")
    assert house.post("/api/v1/changes", {"deployment": "nobody"}).status_code == 404
    assert house.wakes == []
