"""Rejected records with their reasons."""

from tests.api.house import House
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
