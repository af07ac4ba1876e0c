import json

import pytest

from monitor.api.auth import Role
from monitor.store.sets import revisions as evalsets
from tests.api.house import House, import_cases, token_of
from tests.api.records import CASES
from tests.api.routes.test_sealed import reveal_log

DIFF, EXPORT = "/api/v1/sets/diff", "/api/v1/sets/export"
REVEAL = token_of(Role.READ, Role.REVEAL)
OPERATE = token_of(Role.OPERATE)


def test_two_revisions_differ_by_ids_and_fields_and_no_text(house: House) -> None:
    first = import_cases(house, count=2)
    changed = {**CASES[0], "reference": "never", "severity": "critical"}
    house.post("/api/v1/sets", {"name": "private", "cases": [changed, CASES[2]]})
    found = house.get(DIFF, set_name="private")
    body = found.json()
    assert (body["before"], body["entered"], body["left"]) == (first, [CASES[2]["id"]], [CASES[1]["id"]])
    assert set(body["changed"]) == {CASES[0]["id"]}
    assert "references" in body["changed"][CASES[0]["id"]]
    assert "never" not in found.text
    assert reveal_log(house.store) == []


def test_a_revision_is_found_by_the_beginning_of_its_hash(house: House) -> None:
    first, second = import_cases(house, count=2), import_cases(house)
    body = house.get(DIFF, set_name="private", before=first[:8], after=second[:8]).json()
    assert (body["before"], body["after"], body["entered"], body["same"]) == (first, second, [CASES[2]["id"]], 2)
    wrong = house.get(DIFF, set_name="private", before="zz")
    assert wrong.status_code == 404
    assert "revision 'zz' is unknown; it has" in wrong.json()["detail"]
    assert house.get(DIFF, set_name="nothing").status_code == 404


def test_the_first_revision_differs_from_nothing(house: House) -> None:
    import_cases(house)
    assert len(house.get(DIFF, set_name="private").json()["entered"]) == 3


def test_what_an_import_would_change_is_reported_and_nothing_is_written(house: House) -> None:
    first = import_cases(house, count=2)
    body = house.post(DIFF, {"name": "private", "cases": list(CASES), "origin": "new.jsonl"}).json()
    assert (body["before"], body["after"]) == (first, "new.jsonl")
    assert (body["entered"], body["same"]) == ([CASES[2]["id"]], 2)
    assert len(house.get("/api/v1/sets").json()["items"]) == 1


def test_an_export_imports_again_as_the_same_revision_and_is_written_down(guarded: House) -> None:
    first = import_cases(guarded, token=OPERATE)
    export = guarded.get(EXPORT, token=REVEAL, set_name="private").json()
    with guarded.store.read() as tx:
        current = evalsets.current(tx, "private")
    assert current is not None
    assert (export["revision"], export["canary"]) == (first, current.canary)
    cases = [{**case, "canary": export["canary"]} for case in export["cases"]]
    again = guarded.post("/api/v1/sets", {"name": "private", "cases": cases}, token=OPERATE)
    assert (again.json()["revision"], again.json()["new"]) == (first, False)
    assert reveal_log(guarded.store) == [(f"name of {REVEAL}", "export (private)", [case["id"] for case in CASES])]


@pytest.mark.parametrize("role", [Role.READ, Role.OPERATE, Role.ADMIN])
def test_no_one_exports_without_the_role(guarded: House, role: Role) -> None:
    import_cases(guarded, token=OPERATE)
    response = guarded.get(EXPORT, token=token_of(role), set_name="private")
    assert response.status_code == 403
    assert reveal_log(guarded.store) == []


def test_the_canary_is_in_no_other_answer(guarded: House) -> None:
    import_cases(guarded, token=OPERATE)
    with guarded.store.read() as tx:
        current = evalsets.current(tx, "private")
    assert current is not None
    for path, params in (("/api/v1/sets", {}), ("/api/v1/cases", {"set_name": "private", "reveal": "true"})):
        response = guarded.get(path, token=REVEAL, **params)
        assert response.status_code == 200
        assert current.canary not in json.dumps(response.json())
