"""Reviews of candidates over HTTP: details, decisions, and the messages of refused reviews."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.api.auth import Role
from monitor.domain.candidate_basis import (
    Basis,
    CorrectionOrigin,
    ExpectationKind,
    Member,
    Provenance,
    TextSource,
)
from monitor.domain.interaction import ChatMessage, Document
from monitor.store.sets import candidate_groups
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.records import thumb
from tests.api.rows import add_candidate

REVIEWER = token_of(Role.REVIEW)
READER = token_of(Role.READ)
TALK = (
    ChatMessage(role="user", content="I sent the kettle back."),
    ChatMessage(role="assistant", content="Thank you."),
    ChatMessage(role="user", content="Money today?"),
)
MANY = "/api/v1/candidates/decisions"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, tokens=tokens_for_roles()) as house:
        yield house


def order(house: House, id_: str, **body: Any) -> Any:
    return house.post(f"/api/v1/candidates/{id_}/decisions", body, token=REVIEWER)


def order_many(house: House, **body: Any) -> dict[str, Any]:
    answer = house.post(MANY, body, token=REVIEWER)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def shown(house: House, id_: str) -> dict[str, Any]:
    return dict(house.get(f"/api/v1/candidates/{id_}", token=READER).json())


def listed(house: House, **params: Any) -> str:
    page = house.ask("GET", "/api/v1/candidates", token=READER, params=params).json()
    return " ".join(item["id"] for item in page["items"])


def test_a_reviewer_sees_all_that_was_before_the_bad_answer_and_what_the_user_said(guarded: House) -> None:
    said = guarded.post(
        "/api/v1/feedback", thumb(at="2026-11-21T01:00:00Z", comment="not on the same day"), token=token_of(Role.INGEST)
    )
    assert said.json()["accepted"] == 1, said.text
    [correction] = guarded.get("/api/v1/feedback", token=READER).json()["items"]
    documents = (Document(id="policy", content="Five working days.", score=0.9),)
    add_candidate(
        guarded, "c", input_text="Money today?", messages=TALK, system_prompt="Be kind.", documents=documents,
        bad_output="Yes, today.", feedback_id=correction["id"],
    )  # fmt: skip
    found = shown(guarded, "c")
    assert [message["content"] for message in found["input"]] == [message.content for message in TALK]
    assert (found["system_prompt"], found["bad_output"], found["turns"]) == ("Be kind.", "Yes, today.", 3)
    assert found["documents"] == [{"id": "policy", "content": "Five working days.", "score": 0.9}]
    assert found["correction"] == correction
    assert (found["state"], found["ready"], found["severity"], found["decisions"]) == ("proposed", True, "medium", [])


def test_a_decision_is_answered_with_the_candidate_and_stands_in_the_log(guarded: House) -> None:
    add_candidate(guarded, "c")
    answer = order(guarded, "c", action="reject", reason="a joke", revision=0)
    assert answer.status_code == 200
    found = answer.json()
    assert (found["state"], found["decided_by"], found["reason"]) == ("rejected", f"name of {REVIEWER}", "a joke")
    [entry] = guarded.get(MANY, token=READER).json()["items"]
    assert entry == found["decisions"][0]
    assert (entry["who"], entry["action"], entry["candidate_id"]) == (f"name of {REVIEWER}", "reject", "c")


def test_an_edit_and_an_acceptance_are_one_order(guarded: House) -> None:
    add_candidate(guarded, "c", expected="", input_text="Money today?", messages=TALK)
    refused = order(guarded, "c", action="accept")
    assert (refused.status_code, refused.json()["code"]) == (422, "no_expectation")
    assert "edit it first" in refused.json()["detail"]
    done = order(
        guarded, "c", action="accept", input="When do I get it?", must_include=["five working days"],
        must_not=["today"], severity="high", category="refunds",
    )  # fmt: skip
    found = done.json()
    assert (found["state"], found["severity"], found["category"]) == ("accepted", "high", "refunds")
    assert [message["content"] for message in found["input"]][1:] == ["Thank you.", "When do I get it?"]
    assert found["decisions"][0]["changed"] == ["input", "must_include", "must_not", "category", "severity"]
    assert found["input_edited"] is True


def test_the_same_order_again_changes_nothing_and_a_contrary_one_is_a_conflict(guarded: House) -> None:
    add_candidate(guarded, "c")
    first = order(guarded, "c", action="accept").json()
    assert order(guarded, "c", action="accept").json() == first
    contrary = order(guarded, "c", action="reject")
    assert (contrary.status_code, contrary.json()["code"]) == (409, "conflict")
    assert f"accepted by name of {REVIEWER}" in contrary.json()["detail"]
    assert order(guarded, "c", action="reject", revision=first["revision"]).json()["state"] == "rejected"
    stale = order(guarded, "c", action="accept", revision=first["revision"])
    assert stale.status_code == 409
    assert "read it again" in stale.json()["detail"]


def test_of_many_who_decide_at_once_one_decides_and_the_others_hear_it(guarded: House) -> None:
    add_candidate(guarded, "c")
    orders = [{"action": action, "revision": 0} for action in ("accept", "reject")] * 4
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: order(guarded, "c", **body), orders))
    codes = [answer.status_code for answer in answers]
    assert codes.count(200) == 4, "the winner's order, and the same again"
    assert codes.count(409) == 4
    assert len(guarded.get(MANY, token=READER).json()["items"]) == 1


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"action": "edit", "input": " "}, 422, "body.input: the text is empty"),
        ({"action": "edit", "input": [{"role": "assistant", "content": "x"}]}, 422, "needs a user message"),
        ({"action": "edit", "input": [{"role": "nobody", "content": "x"}]}, 422, "field 'role' must be one of"),
        ({"action": "edit", "category": "two\nlines"}, 422, "body.category: must be a printable text"),
        ({"action": "edit", "severity": "awful"}, 422, "body.severity"),
        ({"action": "burn"}, 422, "body.action"),
        ({"action": "accept", "colour": "red"}, 422, "body.colour"),
    ],
)
def test_an_order_that_makes_no_case_is_refused_with_its_field(
    guarded: House, body: dict[str, Any], status: int, words: str
) -> None:
    add_candidate(guarded, "c")
    refused = order(guarded, "c", **body)
    assert refused.status_code == status
    assert words in refused.json()["detail"]
    assert shown(guarded, "c")["revision"] == 0


def test_a_candidate_that_is_not_there_is_not_found(guarded: House) -> None:
    assert order(guarded, "gone", action="accept").status_code == 404
    assert guarded.get("/api/v1/candidates/gone", token=READER).json()["code"] == "not_found"


def test_many_orders_are_one_transaction_that_lists_what_it_refuses(guarded: House) -> None:
    for name in "abc":
        add_candidate(guarded, name, expected="" if name == "b" else "No.")
    orders = [
        {"id": "a", "action": "edit", "expected": "Nine is 3 x 3."},
        {"id": "a", "action": "accept"},
        {"id": "b", "action": "accept"},
        {"id": "c", "action": "reject", "reason": "twice"},
        {"id": "gone", "action": "reject"},
        {"id": "c", "action": "edit", "input": ""},
    ]
    dry = order_many(guarded, decisions=orders, dry_run=True)
    assert listed(guarded, state="proposed") == "c b a"
    done = order_many(guarded, decisions=orders)
    assert done == dry | {"dry_run": False}
    assert (done["accepted"], done["edited"], done["rejected"], done["unchanged"]) == (1, 1, 1, 0)
    assert [(each["id"], each["code"]) for each in done["refused"]] == [
        ("b", "no_expectation"), ("gone", "not_found"), ("c", "validation"),
    ]  # fmt: skip
    assert shown(guarded, "a")["expected"] == "Nine is 3 x 3."
    again = order_many(guarded, decisions=orders[1:4])
    assert (again["accepted"], again["rejected"], again["unchanged"]) == (0, 0, 2)


def test_what_has_something_in_common_is_decided_at_once_page_by_page(guarded: House) -> None:
    for number in range(5):
        category = "refunds" if number < 3 else "prime"
        add_candidate(guarded, f"c{number}", category=category, at=NOW + timedelta(minutes=number))
    add_candidate(guarded, "elsewhere", deployment="other-bot", category="refunds")
    where = {"deployment": "bot", "category": "refunds"}
    assert order_many(guarded, where=where, action="accept", dry_run=True)["accepted"] == 3
    done = order_many(guarded, where=where, action="accept")
    assert (done["accepted"], done["next_cursor"]) == (3, None)
    assert listed(guarded, state="accepted") == "c2 c1 c0"
    assert order_many(guarded, where=where, action="accept")["accepted"] == 0, "none of these waits any more"


@pytest.mark.parametrize(
    "body",
    [{}, {"decisions": [], "where": {}}, {"where": {}}, {"decisions": [], "action": "accept"},
     {"where": {}, "action": "edit"}],
)  # fmt: skip
def test_orders_for_many_come_in_one_of_two_ways(guarded: House, body: dict[str, Any]) -> None:
    assert guarded.post(MANY, body, token=REVIEWER).status_code == 422


def test_the_list_is_narrowed(guarded: House) -> None:
    add_candidate(guarded, "a", category="refunds")
    add_candidate(guarded, "b", expected="")
    order(guarded, "a", action="edit", severity="critical")
    assert listed(guarded, category="refunds") == listed(guarded, severity="critical") == "a"
    assert listed(guarded, ready="false") == "b"
    assert listed(guarded, state="accepted") == ""
    assert guarded.ask("GET", "/api/v1/candidates", token=READER, params={"state": "odd"}).status_code == 422


def test_a_deployment_reports_how_many_candidates_wait(guarded: House) -> None:
    add_candidate(guarded, "a")
    add_candidate(guarded, "b", expected="")
    [bot, other] = guarded.get("/api/v1/deployments", token=READER).json()["items"]
    assert bot["candidates"] == {"proposed": 2, "ready": 1, "accepted": 0, "rejected": 0}
    assert other["candidates"] == {"proposed": 0, "ready": 0, "accepted": 0, "rejected": 0}


def test_a_token_without_the_role_is_reported_which_one_it_lacks(guarded: House) -> None:
    add_candidate(guarded, "a")
    refused = guarded.post("/api/v1/candidates/a/decisions", {"action": "accept"}, token=token_of(Role.OPERATE))
    assert refused.status_code == 403
    assert "'review'" in refused.json()["detail"]


def test_a_replay_of_a_set_that_is_empty_reports_how_it_fills(guarded: House) -> None:
    body = {"deployment": "bot", "set_name": "corrections"}
    operator = token_of(Role.OPERATE)
    add_candidate(guarded, "c")
    refused = guarded.post("/api/v1/runs", body, token=operator)
    assert refused.status_code == 409
    assert "1 corrections wait for a review; accept them with `driftd candidates`" in refused.json()["detail"]
    order(guarded, "c", action="accept")
    refused = guarded.post("/api/v1/runs", body, token=operator)
    assert "enter with the next scheduled replay" in refused.json()["detail"]


def test_what_is_held_or_in_conflict_is_listed_apart_and_a_filter_does_not_accept_it(
    guarded: House,
) -> None:
    add_candidate(guarded, "usual")
    add_candidate(guarded, "suspect", held=("the correction addresses a grader or reviewer",))
    add_candidate(guarded, "disputed")
    with guarded.store.write() as tx:
        values = {"yes": 3.0, "no": 1.0}
        members = [
            Member(
                correction_id=value, candidate_id="disputed", deployment="bot", interaction_id=value, at=NOW,
                user=value, value=value, trust=trust,
            )
            for value, trust in values.items()
        ]  # fmt: skip
        candidate_groups.add_members(tx, members)
    assert (listed(guarded, held="true"), listed(guarded, conflict="true")) == ("suspect", "disputed")
    assert sorted(listed(guarded, held="false", conflict="false").split()) == ["usual"]
    group = shown(guarded, "disputed")["group"]
    assert group == {"corrections": 2, "users": 2, "values": values, "conflict": True}
    assert order_many(guarded, where={"deployment": "bot"}, action="accept")["accepted"] == 1
    assert [shown(guarded, name)["state"] for name in ("usual", "suspect", "disputed")] == [
        "accepted", "proposed", "proposed",
    ]  # fmt: skip
    assert order_many(guarded, where={"held": True}, action="accept")["accepted"] == 1
    assert order(guarded, "disputed", action="accept").status_code == 200, "a person who names it may accept it"


def test_a_reviewer_sees_the_basis_and_after_an_edit_the_basis_is_the_reviewer(guarded: House) -> None:
    basis = Basis(kind=ExpectationKind.MUST_NOT, source=TextSource.ANSWER, quote="[No]", confidence=0.3)
    add_candidate(guarded, "c", expected="", must_not=("[No]",), basis=basis, severity_reason="signal doubt")
    item = shown(guarded, "c")
    assert (item["basis"]["kind"], item["basis"]["quote"], item["severity_reason"]) == (
        "must_not",
        "[No]",
        "signal doubt",
    )
    edited = order(guarded, "c", action="edit", expected="[Yes]", severity="high").json()
    assert (edited["basis"]["source"], edited["severity_reason"]) == ("reviewer", "set by a reviewer")


def test_a_candidate_that_was_sampled_from_traffic_has_details(guarded: House) -> None:
    sampled = Provenance(origin=CorrectionOrigin.SAMPLE, detector="sampling")
    add_candidate(guarded, "c1", provenance=sampled)
    assert shown(guarded, "c1")["provenance"]["origin"] == "sample"
