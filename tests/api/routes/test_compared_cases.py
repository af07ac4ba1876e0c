"""The cases of a comparison: flips, both answers of a case, and a log entry for each reveal."""

import pytest

from monitor.api.auth import Role
from tests.api.house import House, import_cases, token_of
from tests.api.records import CASES
from tests.api.routes.test_sealed import reveal_log
from tests.api.rows import HIDDEN, add_complete_run, add_run

FLIPS, CASE = "/api/v1/comparisons/flips", "/api/v1/comparisons/case"
READ, OPERATE = token_of(Role.READ), token_of(Role.OPERATE)
REVEAL = token_of(Role.READ, Role.REVEAL)
RUNS = {"baseline": "run-1", "candidate": "run-2"}
BEFORE = {"p-7": True, "c-9": False, "p-11": True}
AFTER = {"p-7": False, "c-9": True, "p-11": True}


def two_nights(house: House, set_name: str = "private") -> House:
    import_cases(house, set_name, token=OPERATE)
    add_complete_run(house, "run-1", BEFORE, set_name)
    add_complete_run(house, "run-2", AFTER, set_name, night=1, version="v2")
    return house


@pytest.fixture
def sealed(guarded: House) -> House:
    return two_nights(guarded)


@pytest.fixture
def unsealed(guarded: House) -> House:
    return two_nights(guarded, "corrections")


def test_flipped_cases_are_listed_with_both_verdicts_and_no_text(sealed: House) -> None:
    response = sealed.get(FLIPS, token=READ, **RUNS)
    worse, better = response.json()["items"]
    assert worse == {
        "case_id": "p-7",
        "category": "prime",
        "severity": "high",
        "baseline": "pass",
        "candidate": "fail",
        "failure_category": "wrong_answer",
    }
    assert (better["case_id"], better["baseline"], better["candidate"]) == ("c-9", "fail", "pass")
    assert HIDDEN not in response.text


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"direction": "to_fail"}, ["p-7"]),
        ({"direction": "to_pass"}, ["c-9"]),
        ({"category": "composite"}, ["c-9"]),
        ({"category": "prime", "direction": "to_pass"}, []),
        ({"failure_category": "wrong_answer"}, ["p-7", "c-9"]),
        ({"failure_category": "refused"}, []),
    ],
)
def test_the_list_is_narrowed_by_the_daemon(sealed: House, narrowed: dict[str, str], expected: list[str]) -> None:
    items = sealed.get(FLIPS, token=READ, **RUNS, **narrowed).json()["items"]
    assert [item["case_id"] for item in items] == expected


def test_the_list_comes_in_pages(sealed: House) -> None:
    first = sealed.get(FLIPS, token=READ, limit=1, **RUNS).json()
    second = sealed.get(FLIPS, token=READ, limit=1, cursor=first["next_cursor"], **RUNS).json()
    assert [row["case_id"] for row in first["items"] + second["items"]] == ["p-7", "c-9"]
    assert second["next_cursor"] is None


def test_a_direction_that_is_none_is_refused(sealed: House) -> None:
    response = sealed.get(FLIPS, token=READ, direction="sideways", **RUNS)
    assert response.status_code == 422
    assert "query.direction" in response.json()["detail"]


@pytest.mark.parametrize("path", [FLIPS, CASE])
def test_only_complete_runs_of_one_set_have_cases_in_common(sealed: House, path: str) -> None:
    add_run(sealed, "run-3")
    query = {"baseline": "run-1", "candidate": "run-3", "case_id": "p-7"}
    assert sealed.get(path, token=READ, **query).status_code == 409
    assert sealed.get(path, token=READ, **{**query, "candidate": "run-9"}).status_code == 404


def test_a_case_of_an_unsealed_set_comes_with_both_answers_for_every_reader(unsealed: House) -> None:
    item = unsealed.get(CASE, token=READ, case_id="p-7", **RUNS).json()
    assert item["sealed"] is False
    assert item["case"]["input"] == [{"role": "user", "content": "Is 7 a prime?"}]
    assert item["case"]["references"] == ["yes"]
    before, after = item["baseline"], item["candidate"]
    assert (before["run_id"], before["verdict"], before["value"], before["failure_category"]) == (
        "run-1",
        "pass",
        1.0,
        "none",
    )
    assert (after["run_id"], after["verdict"], after["failure_category"]) == ("run-2", "fail", "wrong_answer")
    [outcome] = after["outcomes"]
    assert (outcome["run_id"], outcome["case_id"], outcome["text"]) == ("run-2", "p-7", f"p-7: yes, {HIDDEN}")
    assert outcome["scores"][0]["reason"] == f"reason: {HIDDEN}"
    assert reveal_log(unsealed.store) == []


def test_a_case_that_did_not_flip_can_be_looked_at_too(unsealed: House) -> None:
    item = unsealed.get(CASE, token=READ, case_id="p-11", **RUNS).json()
    assert (item["baseline"]["verdict"], item["candidate"]["verdict"]) == ("pass", "pass")


def test_a_case_without_a_verdict_in_both_runs_is_not_there(unsealed: House) -> None:
    add_complete_run(unsealed, "run-3", {"p-7": True}, "corrections", night=2)
    query = {"baseline": "run-1", "candidate": "run-3"}
    response = unsealed.get(CASE, token=READ, case_id="c-9", **query)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert "'c-9' is not scored in both 'run-1' and 'run-3'" in response.json()["detail"]


@pytest.mark.parametrize("token", [READ, REVEAL])
def test_a_sealed_case_has_verdicts_and_no_text_until_it_is_asked_for(sealed: House, token: str) -> None:
    response = sealed.get(CASE, token=token, case_id="p-7", **RUNS)
    item = response.json()
    assert (item["sealed"], item["case"]["category"], item["candidate"]["verdict"]) == (True, "prime", "fail")
    assert (item["case"]["input"], item["case"]["references"], item["case"]["ideal"]) == (None, None, None)
    assert item["candidate"]["outcomes"][0]["text"] is None
    assert not any(text in response.text for text in [HIDDEN, str(CASES[0]["input"])])
    assert reveal_log(sealed.store) == []


def test_revealing_a_case_shows_it_whole_and_is_one_line_of_the_log(sealed: House) -> None:
    item = sealed.get(CASE, token=REVEAL, case_id="p-7", reveal="true", **RUNS).json()
    assert item["sealed"] is True
    assert item["case"]["input"] == [{"role": "user", "content": "Is 7 a prime?"}]
    for side in (item["baseline"], item["candidate"]):
        assert side["outcomes"][0]["text"] == f"p-7: yes, {HIDDEN}"
        assert side["outcomes"][0]["scores"][0]["reason"] == f"reason: {HIDDEN}"
    assert reveal_log(sealed.store) == [(f"name of {REVEAL}", "case in run-1 and run-2 (private)", ["p-7"])]


def test_revealing_a_case_of_two_revisions_is_logged_for_both(guarded: House) -> None:
    import_cases(guarded, token=OPERATE)
    add_complete_run(guarded, "run-1", BEFORE)
    import_cases(guarded, token=OPERATE, count=2)
    add_complete_run(guarded, "run-2", {"p-7": False, "c-9": True}, night=1)
    item = guarded.get(CASE, token=REVEAL, case_id="p-7", reveal="true", **RUNS).json()
    assert item["candidate"]["outcomes"][0]["text"] == f"p-7: yes, {HIDDEN}"
    assert [ids for _, _, ids in reveal_log(guarded.store)] == [["p-7"], ["p-7"]]


def test_the_sender_learns_its_name_and_roles(guarded: House) -> None:
    sender = guarded.get("/api/v1/whoami", token=REVEAL).json()
    assert sender["daemon"]["database"] == str(guarded.store.path)
    assert (sender["name"], sender["roles"]) == (f"name of {REVEAL}", ["read", "reveal"])
    assert "reveal" not in guarded.get("/api/v1/whoami", token=token_of(Role.ADMIN)).json()["roles"]


def test_without_tokens_no_one_has_the_role_reveal(house: House) -> None:
    sender = house.get("/api/v1/whoami").json()
    assert sender["name"] == "local"
    assert "read" in sender["roles"]
    assert "reveal" not in sender["roles"]
