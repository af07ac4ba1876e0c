"""Sealed texts are returned only with the role and on request, and every reveal is logged."""

import json
import logging

import pytest

from monitor.api.auth import Role
from monitor.errors import StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.sets import revisions as evalsets
from replay.evalsets.sealing import Sealer
from tests.api.house import House, import_cases, token_of
from tests.api.records import CASES
from tests.api.rows import HIDDEN, add_complete_run, add_run

READ, OPERATE = token_of(Role.READ), token_of(Role.OPERATE)
REVEAL = token_of(Role.READ, Role.REVEAL)
TEXTS = [str(case["input"]) for case in CASES]
PATHS = ["/api/v1/cases", "/api/v1/outcomes", "/api/v1/comparisons/case"]
EVERY_QUERY = {
    "set_name": "private",
    "run_id": "run-1",
    "baseline": "run-1",
    "candidate": "run-1",
    "case_id": "p-7",
}
PASSES = {"p-7": False, "c-9": True, "p-11": True}


@pytest.fixture
def sealed(guarded: House) -> House:
    import_cases(guarded, token=OPERATE)
    add_complete_run(guarded, "run-1", PASSES)
    return guarded


def reveal_log(store: Store) -> list[tuple[str, str, list[str]]]:
    """Return who revealed what and which cases, read from the file as an auditor does."""
    with store.write() as tx:
        rows = tx._cursor.execute('SELECT who, what, set_name, case_ids FROM reveal_log ORDER BY "at"').fetchall()
    return [(who, f"{what} ({set_name})", json.loads(ids)) for who, what, set_name, ids in rows]


def test_cases_of_a_sealed_set_have_no_content(sealed: House) -> None:
    items = sealed.get("/api/v1/cases", token=READ, set_name="private").json()["items"]
    assert [item["id"] for item in items] == ["p-7", "c-9", "p-11"]
    assert (items[0]["category"], items[0]["severity"]) == ("prime", "high")
    assert {(item["input"], item["references"]) for item in items} == {(None, None)}


def test_outcomes_of_a_sealed_set_have_no_text_and_no_reason(sealed: House) -> None:
    items = sealed.get("/api/v1/outcomes", token=READ, run_id="run-1").json()["items"]
    assert {item["text"] for item in items} == {None}
    assert {score["reason"] for item in items for score in item["scores"]} == {None}
    assert {score["value"] for item in items for score in item["scores"]} == {0.0, 1.0}


@pytest.mark.parametrize("path", PATHS)
def test_asking_to_reveal_without_the_role_is_refused_and_not_logged(sealed: House, path: str) -> None:
    params = EVERY_QUERY | {"reveal": "true"}
    for role in set(Role) - {Role.REVEAL}:
        response = sealed.get(path, token=token_of(role), **params)
        assert response.status_code == 403
    assert "reveal" in sealed.get(path, token=READ, **params).json()["detail"]
    assert reveal_log(sealed.store) == []


@pytest.mark.parametrize("path", PATHS)
def test_the_role_alone_reveals_nothing_without_the_request(sealed: House, path: str) -> None:
    response = sealed.get(path, token=REVEAL, **EVERY_QUERY)
    assert response.status_code == 200
    assert not any(text in response.text for text in [*TEXTS, HIDDEN])
    assert reveal_log(sealed.store) == []


def test_revealed_cases_are_shown_and_logged(sealed: House) -> None:
    response = sealed.get("/api/v1/cases", token=REVEAL, set_name="private", reveal="true", limit=2)
    first, second = response.json()["items"]
    assert first["input"] == [{"role": "user", "content": "Is 7 a prime?"}]
    assert (first["references"], second["references"]) == (["yes"], ["no"])
    assert reveal_log(sealed.store) == [(f"name of {REVEAL}", "cases (private)", ["p-7", "c-9"])]


def test_revealed_outcomes_are_shown_and_logged(sealed: House) -> None:
    items = sealed.get("/api/v1/outcomes", token=REVEAL, run_id="run-1", reveal="true").json()["items"]
    assert {item["text"] for item in items} == {f"{case_id}: yes, {HIDDEN}" for case_id in PASSES}
    assert {score["reason"] for item in items for score in item["scores"]} == {f"reason: {HIDDEN}"}
    assert reveal_log(sealed.store) == [(f"name of {REVEAL}", "outcomes of run-1 (private)", sorted(PASSES))]


def test_content_that_is_not_sealed_is_shown_to_every_reader_and_not_logged(guarded: House) -> None:
    import_cases(guarded, "corrections", token=OPERATE)
    add_complete_run(guarded, "run-1", PASSES, "corrections")
    cases = guarded.get("/api/v1/cases", token=READ, set_name="corrections").json()["items"]
    assert cases[0]["input"] == [{"role": "user", "content": "Is 7 a prime?"}]
    outcomes = guarded.get("/api/v1/outcomes", token=REVEAL, run_id="run-1", reveal="true").json()["items"]
    assert all(HIDDEN in item["text"] for item in outcomes)
    assert reveal_log(guarded.store) == []


def test_a_set_whose_key_is_lost_reports_it(sealed: House) -> None:
    object.__setattr__(sealed.app.state.context, "sealer_of", lambda _name: None)
    response = sealed.get("/api/v1/cases", token=REVEAL, set_name="private", reveal="true")
    assert (response.status_code, response.json()["code"]) == (409, "conflict")
    assert "sets.private.key_file" in response.json()["detail"]


def test_the_wrong_key_reports_it_and_shows_nothing(sealed: House) -> None:
    object.__setattr__(sealed.app.state.context, "sealer_of", lambda _name: Sealer(bytes(32)))
    response = sealed.get("/api/v1/cases", token=REVEAL, set_name="private", reveal="true")
    assert (response.status_code, response.json()["code"]) == (409, "conflict")
    assert not any(text in response.text for text in TEXTS)


def test_no_other_route_and_no_log_line_holds_sealed_text(sealed: House, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        add_run(sealed, "run-2")
        for path in sealed.app.openapi()["paths"]:
            response = sealed.get(path.replace("{id}", "run-1"), token=READ, **EVERY_QUERY)
            assert not any(text in response.text for text in [*TEXTS, HIDDEN]), path
        bad = [{"id": "p-1", "input": TEXTS[0], "reference": 5}]
        refused = sealed.post("/api/v1/sets", {"name": "private", "cases": bad}, token=OPERATE)
    assert refused.status_code == 422
    assert TEXTS[0] not in refused.text
    assert not any(text in record.getMessage() for record in caplog.records for text in [*TEXTS, HIDDEN])


@pytest.mark.parametrize("path", PATHS)
def test_what_cannot_be_logged_is_not_shown(sealed: House, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def disk_full(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(evalsets, "log_reveal", disk_full)
    response = sealed.get(path, token=REVEAL, reveal="true", **EVERY_QUERY)
    assert response.status_code == 503
    assert not any(text in response.text for text in [*TEXTS, HIDDEN])
