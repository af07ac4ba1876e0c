import base64
import json
from pathlib import Path
from typing import Any

import pytest

from monitor.ingest.limits import Limits
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters
from tests.api.house import House, open_house
from tests.ingest.build import native, native_feedback
from tests.ingest.transports import contents

PATH = "/api/v1/files"
DIGEST = "ab" * 32


def place(number: int) -> dict[str, int]:
    return {"offset": 100 * number, "number": number}


def piece(*records: Any, before: int = 0, whole: bool = False, **fields: Any) -> dict[str, Any]:
    numbered = [
        {"number": before + n, **(r if isinstance(r, dict) else {"text": r})} for n, r in enumerate(records, start=1)
    ]
    made = {
        "digest": DIGEST,
        "name": "june.jsonl",
        "unit": "line",
        "before": place(before),
        "after": place(before + len(records)),
        "whole": whole,
        "records": numbered,
    }
    return made | fields


def read_to(house: House) -> int:
    found: int = house.get(PATH, digest=DIGEST).json()["number"]
    return found


def test_the_place_of_a_file_is_stored_with_its_records_until_it_is_read_whole(house: House) -> None:
    assert read_to(house) == 0
    first = house.post(PATH, piece(json.dumps(native()), json.dumps(native_feedback())))
    assert (first.status_code, first.json()) == (200, {"accepted": 2, "duplicates": 0, "rejected": []})
    assert house.get(PATH, digest=DIGEST).json() == place(2) | {"max_record_bytes": 16 << 20}
    assert house.get(PATH, digest="cd" * 32).json() == place(0) | {"max_record_bytes": 16 << 20}
    last = house.post(PATH, piece(json.dumps(native()), before=2, whole=True))
    assert last.json() == {"accepted": 0, "duplicates": 1, "rejected": []}
    assert read_to(house) == 0


def test_a_piece_of_nothing_good_moves_on_as_well(house: House) -> None:
    answer = house.post(PATH, piece("{", {"base64": base64.b64encode(b"\xff").decode()}, {})).json()
    assert [(r["number"], r["code"]) for r in answer["rejected"]] == [(n, "malformed") for n in (1, 2, 3)]
    assert answer["rejected"][2]["reason"] == "the record is longer than 16777216 bytes (ingest.max_body_mb)"
    assert read_to(house) == 3
    with house.store.read() as tx:
        letters = dead_letters.page(tx, PageQuery(limit=10)).items
    assert {letter.source for letter in letters} == {"file"}
    assert {letter.reason.split(":")[0] for letter in letters} == {f"june.jsonl line {n}" for n in (1, 2, 3)}


def test_a_piece_may_be_larger_than_the_largest_record_in_it(tmp_path: Path) -> None:
    """Else a record as large as a body may be could come over HTTP, and not in a file."""
    limits = Limits(plain_bytes=1_000_000)
    with open_house(tmp_path, max_body_bytes=1_000_000, limits=limits) as house:
        sizes = (999_000, 1_001_000)
        records = [json.dumps(native(id=str(size), attributes={"x": "y" * (size - 400)})).encode() for size in sizes]
        padded = [raw.ljust(size) for raw, size in zip(records, sizes, strict=True)]
        answer = house.post(PATH, piece(*({"base64": base64.b64encode(raw).decode()} for raw in padded))).json()
        assert (answer["accepted"], [r["reason"] for r in answer["rejected"]]) == (
            1,
            ["the record has 1001000 bytes; ingest.max_body_mb allows 1000000"],
        )


def test_messages_of_otlp_are_calls(house: House) -> None:
    packed = [{"base64": base64.b64encode(c.body).decode()} for c in contents()[:20]]
    answer = house.post(PATH, piece(*packed, unit="message", format="otlp_proto")).json()
    assert (answer["accepted"] > 5, answer["rejected"]) == (True, [])
    assert len(house.get("/api/v1/interactions", limit=100).json()["items"]) > 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"digest": "june"},
        {"unit": "page"},
        {"format": "csv"},
        {"after": {"offset": -1, "number": 0}},
        {"records": [{"number": 1, "base64": "?"}]},
        {"records": [{"number": 1, "words": "x"}]},
    ],
)
def test_a_piece_that_is_none_is_refused_and_moves_nothing(house: House, wrong: dict[str, Any]) -> None:
    answer = house.post(PATH, piece(json.dumps(native())) | wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation")
    assert read_to(house) == 0
