"""The common behavior of all lists, tested for each of them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.api.house import NOW, House, open_house
from tests.api.records import interaction, thumb
from tests.api.routes.test_losses import add as add_loss
from tests.api.rows import add_access_and_refresh, add_complete_run, add_import, add_judged_run, add_rescore, furnish

AT = "2026-11-21T01:00:00Z"
LISTS: dict[str, dict[str, str]] = {
    "interactions": {},
    "feedback": {},
    "deployments": {},
    "deployment-names": {},
    "overview": {},
    "versions": {},
    "changes": {},
    "sets": {},
    "sets/access": {"set_name": "private"},
    "sets/refreshes": {"set_name": "private"},
    "cases": {"set_name": "private"},
    "cases/trends": {"deployment": "bot", "set_name": "private"},
    "candidates": {},
    "candidates/decisions": {},
    "turns": {},
    "reviews/queue": {},
    "runs": {},
    "outcomes": {"run_id": "run-1"},
    "findings": {},
    "baselines": {},
    "pins": {},
    "diagnoses": {},
    "alerts": {},
    "silences": {},
    "notifications": {},
    "reports": {},
    "compactions": {},
    "losses": {},
    "dead_letters": {},
    "comparisons/flips": {"baseline": "run-1", "candidate": "run-3"},
    "judges": {},
    "tokens": {},
    "audit": {},
    "rescores": {},
    "results/imports": {},
}
BY_TIME = sorted(
    LISTS.keys()
    - {
        "deployments",
        "deployment-names",
        "overview",
        "diagnoses",
        "cases",
        "cases/trends",
        "comparisons/flips",
        "judges",
    }
)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house")) as house:
        furnish(house)
        add_complete_run(house, "run-3", {"p-7": False, "c-9": False, "p-11": True}, night=2)
        house.post("/api/v1/sets", {"name": "private", "cases": [{"id": "a", "input": "Is 4 a prime?"}]})
        house.post("/api/v1/sets", {"name": "private", "cases": [{"id": n, "input": "Is 4 a prime?"} for n in "ab"]})
        for night in (0, 1):
            add_access_and_refresh(house, NOW + timedelta(minutes=night))
        house.post("/api/v1/interactions", [interaction(), interaction(id="call-2")])
        house.post("/api/v1/feedback", [thumb(at=AT), thumb(id="thumb-2", at=AT)])
        for broken in ("hello", "again"):
            house.post("/api/v1/feedback", {broken: 1})
        for n in (1, 2):
            add_loss(house, f"loss-{n}", minutes=n)
        for run_id in ("run-1", "run-3"):
            assert house.post("/api/v1/pins", {"run_id": run_id, "reason": "launch"}).status_code == 201
        house.post("/api/v1/sets", {"name": "corrections", "cases": [{"id": "p-7", "input": "Is it open on Sunday?"}]})
        for set_name in ("private", "corrections"):
            add_judged_run(house, f"run-judged-{set_name}", {("p-7", 0): True}, set_name)
        add_import(house, "import-2")
        add_rescore(house, "rescore-2")  # `furnish` adds the first
        yield house


def test_every_list_of_the_document_is_asked_here(furnished: House) -> None:
    pages = {
        path.removeprefix("/api/v1/")
        for path, operations in furnished.app.openapi()["paths"].items()
        if "limit" in {p["name"] for p in operations.get("get", {}).get("parameters", [])}
    }
    assert pages == set(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_following_the_cursor_gives_what_one_long_page_gives(furnished: House, name: str) -> None:
    whole = furnished.get(f"/api/v1/{name}", limit=500, **LISTS[name]).json()
    assert len(whole["items"]) > 1
    assert whole["next_cursor"] is None
    seen: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = furnished.get(f"/api/v1/{name}", limit=1, **LISTS[name], **cursor).json()
        assert len(page["items"]) == 1
        seen += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == whole["items"]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", [0, 501, -1, "many", ""])
def test_a_limit_out_of_range_is_refused(furnished: House, name: str, limit: Any) -> None:
    response = furnished.get(f"/api/v1/{name}", limit=limit, **LISTS[name])
    assert (response.status_code, response.json()["code"]) == (422, "validation")
    assert response.json()["detail"].startswith("query.limit: ")


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_that_is_none_of_ours_is_refused(furnished: House, name: str) -> None:
    response = furnished.get(f"/api/v1/{name}", cursor="garbage", **LISTS[name])
    assert (response.status_code, response.json()["code"]) == (400, "usage")


@pytest.mark.parametrize("name", BY_TIME)
def test_nothing_lies_outside_the_window(furnished: House, name: str) -> None:
    def ask(**window: str) -> list[object]:
        return list(furnished.get(f"/api/v1/{name}", **LISTS[name], **window).json()["items"])

    assert ask(since="2027-01-01T00:00:00Z") == []
    assert ask(until="2020-01-01T00:00:00+02:00") == []
    assert ask(since="2020-01-01T00:00:00Z", until="2027-01-01T00:00:00Z") == ask()


@pytest.mark.parametrize("name", BY_TIME)
def test_a_time_without_an_offset_is_refused(furnished: House, name: str) -> None:
    response = furnished.get(f"/api/v1/{name}", since="2026-01-01T00:00:00", **LISTS[name])
    assert response.status_code == 422
    assert response.json()["detail"].startswith("query.since: ")


@pytest.mark.parametrize("name", BY_TIME)
def test_another_deployment_has_none_of_it(furnished: House, name: str) -> None:
    assert furnished.get(f"/api/v1/{name}", deployment="other-bot", **LISTS[name]).json()["items"] == []
