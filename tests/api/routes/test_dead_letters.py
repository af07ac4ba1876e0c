"""Rejected records with their reasons."""

import pytest

from monitor.ingest.dead_letter import dead_letter
from monitor.store.traffic import dead_letters
from tests.api.house import NOW, House
from tests.api.records import interaction


def test_what_was_rejected_is_listed_with_its_reason_newest_first(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    house.post("/api/v1/feedback", {"deployment": "bot", "kind": "thumb", "value": 1, "at": "2026-11-20T09:31:00Z"})
    late, early = house.get("/api/v1/dead_letters").json()["items"]
    assert (early["source"], early["code"]) == ("http", "malformed")
    assert early["reason"].startswith("field 'hello' is unknown")
    assert "one of the fields interaction_id" in late["reason"]
    assert early["raw_bytes"] > len("hello")


def test_the_list_reports_nothing_of_what_a_record_held(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": "does my neighbour know"})
    listed = house.get("/api/v1/dead_letters")
    assert len(listed.json()["items"]) == 1
    assert "neighbour" not in listed.text


def only(house: House) -> str:
    [item] = house.get("/api/v1/dead_letters").json()["items"]
    return str(item["id"])


def add(house: House, source: str, raw: bytes) -> str:
    letter = dead_letter(source=source, code="malformed", reason="old", raw=raw, now=NOW)
    with house.store.write() as tx:
        dead_letters.insert(tx, [letter])
    return letter.id


def test_a_dead_letter_shows_its_content_and_whether_it_can_be_retried(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    item = house.get(f"/api/v1/dead_letters/{only(house)}").json()
    assert '"hello": 1' in item["content"]
    assert (item["truncated"], item["not_retryable"]) == (False, None)


def test_a_corrected_record_is_stored_and_the_dead_letter_is_gone(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    id_ = only(house)
    done = house.post(f"/api/v1/dead_letters/{id_}/retry", {"record": interaction()})
    assert done.status_code == 200, done.text
    assert done.json() == {"id": id_, "type": "interaction", "record_id": interaction()["id"], "duplicate": False}
    assert [each["id"] for each in house.get("/api/v1/interactions").json()["items"]] == [interaction()["id"]]
    assert house.get("/api/v1/dead_letters").json()["items"] == []
    assert house.post(f"/api/v1/dead_letters/{id_}/retry", {}).status_code == 404


def test_a_repeated_retry_with_a_key_gets_the_same_answer_and_stores_one_record(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    path = f"/api/v1/dead_letters/{only(house)}/retry"
    first, second = (house.post(path, {"record": interaction()}, key="k") for _ in range(2))
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert len(house.get("/api/v1/interactions").json()["items"]) == 1


def test_a_record_that_decodes_now_needs_no_correction(house: House) -> None:
    raw = b'{"interaction_id": "i1", "kind": "thumb", "value": 1, "at": "2026-11-20T09:31:00Z", "deployment": "bot"}'
    id_ = add(house, "kafka", raw)
    done = house.post(f"/api/v1/dead_letters/{id_}/retry", {}).json()
    assert (done["type"], done["duplicate"]) == ("feedback", False)
    again = add(house, "kafka", raw + b" ")
    assert house.post(f"/api/v1/dead_letters/{again}/retry", {}).json()["duplicate"] is True


def test_a_record_that_is_still_invalid_stays_a_dead_letter(house: House) -> None:
    house.post("/api/v1/interactions", {**interaction(), "hello": 1})
    refused = house.post(f"/api/v1/dead_letters/{only(house)}/retry", {})
    assert refused.status_code == 422
    assert "still invalid: field 'hello' is unknown" in refused.json()["detail"]
    assert len(house.get("/api/v1/dead_letters").json()["items"]) == 1


@pytest.mark.parametrize(
    ("source", "raw", "reason"),
    [
        ("otlp", b"{}", "the source 'otlp' does not deliver native records"),
        ("results", b"", "the source 'results' does not deliver native records"),
        ("kafka", b"\xff\x00", "cannot be retried"),
        ("kafka", b"[1]", "it is not one JSON object"),
        ("file", b'{"traceId": "00"}', "a span or log record of OTLP without its resource"),
        ("file", b'{"a": "' + 70_000 * b"x" + b'"}', "only the first 65536 of 70009 bytes are stored"),
        ("http", b'{"stripped":"this record echoes a replay or holds a sealed case"}', "texts of a replay"),
    ],
)
def test_an_incomplete_record_names_why_it_cannot_be_retried(
    house: House, source: str, raw: bytes, reason: str
) -> None:
    id_ = add(house, source, raw)
    refused = house.post(f"/api/v1/dead_letters/{id_}/retry", {})
    assert refused.status_code == 409
    assert reason in refused.json()["detail"]
    assert reason in house.get(f"/api/v1/dead_letters/{id_}").json()["not_retryable"]


def test_a_dead_letter_can_be_removed(house: House) -> None:
    id_ = add(house, "otlp", b"{}")
    assert house.post(f"/api/v1/dead_letters/{id_}/remove", {}).json()["id"] == id_
    assert house.get(f"/api/v1/dead_letters/{id_}").status_code == 404
