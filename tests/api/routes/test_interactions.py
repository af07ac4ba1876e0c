from json import dumps
from pathlib import Path
from typing import Any

import pytest

from monitor.ingest.intake import Intake
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, interactions
from tests.api.house import ECHOED_TRACE, House, open_house
from tests.api.records import interaction, thumb

PATH = "/api/v1/interactions"
JSON = {"Content-Type": "application/json"}


def test_one_interaction_is_answered_after_its_commit_and_can_be_read(house: House) -> None:
    response = house.post(PATH, interaction())
    assert (response.status_code, response.json()) == (200, {"accepted": 1, "duplicates": 0, "rejected": []})
    [item] = house.get(PATH).json()["items"]
    assert (item["id"], item["input_text"], item["output_text"]) == ("call-1", "Is 9 a prime?", "No.")
    assert (item["identity"], item["source"], item["origin"]) == ("gpt-4-0314", "http", "production")


def test_a_record_sent_again_is_a_duplicate(house: House) -> None:
    house.post(PATH, interaction())
    assert house.post(PATH, [interaction(), interaction(id="call-2")]).json() == {
        "accepted": 1,
        "duplicates": 1,
        "rejected": [],
    }


def test_malformed_records_are_rejected_with_their_place_and_the_rest_lands(house: House) -> None:
    batch = [interaction(), {"no": "interaction"}, interaction(id="call-2"), 7, thumb(type="feedback")]
    result = house.post(PATH, batch).json()
    assert (result["accepted"], [r["index"] for r in result["rejected"]]) == (2, [1, 3, 4])
    assert all(r["code"] == "malformed" and r["reason"] for r in result["rejected"])
    with house.store.read() as tx:
        assert interactions.count(tx) == 2
        letters = dead_letters.page(tx, PageQuery()).items
    assert {letter.raw for letter in letters} >= {b'{"no": "interaction"}', b"7"}
    assert {letter.source for letter in letters} == {"http"}


def test_a_feedback_does_not_slip_in_among_interactions(house: House) -> None:
    [rejected] = house.post(PATH, thumb(type="feedback")).json()["rejected"]
    assert "accepts only records of type 'interaction'" in rejected["reason"]
    assert house.get("/api/v1/feedback").json()["items"] == []


def test_an_empty_batch_is_fine(house: House) -> None:
    assert house.post(PATH, []).json() == {"accepted": 0, "duplicates": 0, "rejected": []}


@pytest.mark.parametrize("body", [b"", b"{", b'"text"', b"3", b"null", b'[{"id": NaN}]', b"[" * 100_000, b"\xff"])
def test_a_body_that_holds_no_records_is_a_problem(house: House, body: bytes) -> None:
    response = house.ask("POST", PATH, content=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["code"]) == (422, "validation")


def test_another_media_type_is_refused_so_that_no_web_page_can_write(house: House) -> None:
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}):
        response = house.ask("POST", PATH, content=b"{}", headers=headers)
        assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_a_record_without_a_deployment_belongs_to_the_default_one(house: House) -> None:
    record = interaction()
    del record["deployment"]
    house.post(PATH, record)
    assert house.get(PATH).json()["items"][0]["deployment"] == "bot"


def test_an_echo_of_a_replay_keeps_no_text_and_is_no_traffic(house: House) -> None:
    house.post(PATH, interaction(trace_id=ECHOED_TRACE))
    [item] = house.get(PATH).json()["items"]
    assert (item["origin"], item["input_text"], item["output_text"]) == ("replay", "", "")
    with house.store.read() as tx:
        assert interactions.count(tx) == 0


def test_a_malformed_record_with_a_sealed_question_leaves_no_text(house: House) -> None:
    house.post(PATH, {"id": 5, "request": {"messages": [{"role": "user", "content": "Is 7 a prime?"}]}})
    with house.store.read() as tx:
        [letter] = dead_letters.page(tx, PageQuery()).items
    assert b"prime" not in letter.raw
    assert "prime" not in letter.reason


def test_a_body_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    with open_house(tmp_path, max_body_bytes=500) as house:
        response = house.post(PATH, [interaction(id=f"call-{n}") for n in range(10)])
        assert (response.status_code, response.json()["code"]) == (413, "body_too_large")
        assert house.get(PATH).json()["items"] == []


def test_a_full_intake_answers_429_with_a_time_to_come_back(tmp_path: Path) -> None:
    with open_house(tmp_path, intake=Intake(2), writing=False, commit_timeout_s=0.01) as house:
        assert house.post(PATH, [interaction(), interaction(id="call-2")]).status_code == 503
        response = house.post(PATH, interaction(id="call-3"))
        assert (response.status_code, response.json()["code"]) == (429, "intake_full")
        assert int(response.headers["retry-after"]) >= 1


def test_a_commit_that_does_not_come_in_time_is_answered_503(tmp_path: Path) -> None:
    with open_house(tmp_path, writing=False, commit_timeout_s=0.01) as house:
        response = house.post(PATH, interaction())
        assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
        assert "send it again" in response.json()["detail"]
        assert int(response.headers["retry-after"]) >= 1


def test_a_stopping_daemon_answers_503(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.intake.close()
        assert house.post(PATH, interaction()).status_code == 503


@pytest.mark.parametrize(
    "changes",
    [
        {"usage": {"input_tokens": 10**400}},
        {"usage": {"input_tokens": 2**63}},
        {"duration_ms": 10**400},
        {"started_at": "0001-01-01T00:00:00Z"},
        {"started_at": "9999-12-31T23:59:59Z"},
        {"started_at": "0001-01-01T00:00:00+14:00"},
        {"started_at": 10**30},
        {"request": {"seed": -(2**64)}},
        {"request": {"messages": [{"role": "user", "content": "half an emoji \ud83d"}]}},
        {"id": "nul \0 byte"},
        {"attributes": {"deep": [[[[[[{}]]]]]]}},
    ],
)
def test_values_at_the_edge_land_or_are_rejected_and_never_break(house: House, changes: dict[str, Any]) -> None:
    response = house.ask("POST", PATH, content=dumps([interaction(**changes), interaction(id="sane")]), headers=JSON)
    assert response.status_code == 200, response.text
    assert response.json()["accepted"] + len(response.json()["rejected"]) == 2
    assert "sane" in {item["id"] for item in house.get(PATH).json()["items"]}
