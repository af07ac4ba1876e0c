"""Secrets sent over every protocol are in no byte of the folder, in no log and in no response."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.config.load import load
from monitor.ingest.redact.settings import redactor_of
from monitor.store.engine.file_store import FileStore
from tests.app.house import DEPLOYMENT, SETTLE_S, House, daemon
from tests.app.lake import ON_LAKE
from tests.app.stored import stored
from tests.ingest.pipeline import ingest_file, ingest_pipeline, normalizer
from tests.store.readable import where_in_tables, where_on_disk

SECRETS = {
    "mail": "anna.k7qz@example.org",
    "card": "4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00",
    "phone": "+49 30 90182077",
    "token": "sk-proj-" + "a1B2c3D4" * 5,
    "header": "Zm9vYmFyMTIzNDU2Nzg5MA",
    "ssn": "219-09-9999",
    "ip": "84.112.33.77",
}
USER = "user-anna-k7qz"
TEXT = (
    "I am {mail}, card {card}, account {iban}, phone {phone}, key {token}, Authorization: Bearer {header}, SSN {ssn}, "
    "from {ip}. Thanks!"
).format(**SECRETS)
STACK = "File secret_module.py, line 3, in k7Qz"
PRIVATE = [*SECRETS.values(), USER, STACK, "4111111111111111", "anna.k7qz"]
START_NS = 1_772_362_800_000_000_000


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path) as opened:
        yield opened


def native(**fields: Any) -> dict[str, Any]:
    return {
        "type": "interaction",
        "id": "call-native",
        "deployment": DEPLOYMENT,
        "started_at": "2026-03-01T11:00:00Z",
        "user_id": USER,
        "conversation_id": SECRETS["mail"],
        "request": {
            "model": "gpt-4",
            "messages": [*({"role": role, "content": TEXT} for role in ("system", "user"))],
        },
        "response": {
            "model": "gpt-4-0314",
            "messages": [
                {
                    "role": "assistant",
                    "content": TEXT,
                    "tool_calls": [
                        {"id": "t-1", "function": {"name": "pay", "arguments": json.dumps({"pan": 4111111111111111})}}
                    ],
                }
            ],
        },
        "attributes": {"note": TEXT, "exception.stacktrace": STACK, "deep": [{"mail": SECRETS["mail"]}]},
    } | fields


def attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def span(number: int, **attributes: str) -> dict[str, Any]:
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4",
        "user.id": USER,
        "exception.stacktrace": STACK,
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": TEXT}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": TEXT}]}]),
    }
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "chat gpt-4",
        "startTimeUnixNano": str(START_NS),
        "endTimeUnixNano": str(START_NS + 10**9),
        "attributes": [attribute(k, v) for k, v in (told | attributes).items()],
    }


def send_otlp(house: House) -> None:
    """Send a call, an invalid one, and texts in a log event of a missing span."""
    resource = {"attributes": [attribute("service.name", DEPLOYMENT), attribute("host.name", SECRETS["ip"])]}
    spans = [span(7), {**span(8), "startTimeUnixNano": "0", "name": TEXT}]
    event = {
        "traceId": f"{9:032x}",
        "spanId": f"{9:016x}",
        "eventName": "gen_ai.user.message",
        "timeUnixNano": str(START_NS),
        "body": {"kvlistValue": {"values": [attribute("content", TEXT)]}},
        "attributes": [attribute("gen_ai.system", "openai")],
    }
    with httpx.Client(base_url=house.app.addresses["ingest.otlp"], timeout=30) as otlp:
        traces = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
        logs = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [event]}]}]}
        answer = otlp.post("/v1/traces", json=traces).raise_for_status().json()
        assert str(answer["partialSuccess"]["rejectedSpans"]) == "1"
        assert not [p for p in PRIVATE if p in json.dumps(answer)]
        otlp.post("/v1/logs", json=logs).raise_for_status()


def send_native(house: House) -> None:
    """Send a call and an invalid one with an idempotency key, and feedback."""
    bad = native(id="bad", started_at=TEXT)
    headers = {"Idempotency-Key": "k-1"}
    answer = house.api.post("/api/v1/interactions", json=[native(), bad], headers=headers).raise_for_status()
    assert len(answer.json()["rejected"]) == 1
    assert not [p for p in PRIVATE if p in answer.text]
    signal = {
        "deployment": DEPLOYMENT,
        "conversation_id": SECRETS["mail"],
        "kind": "report",
        "at": "2026-03-01T11:05:00Z",
        "expected": f"[Yes] {TEXT}",
        "comment": TEXT,
    }
    house.api.post("/api/v1/feedback", json=[signal, {**signal, "kind": TEXT}]).raise_for_status()


def nowhere(store: FileStore) -> None:
    for private in PRIVATE:
        assert where_in_tables(store, private) == set(), private
        assert where_on_disk(store.path, private) == set(), private


def test_what_is_private_is_in_no_table_no_byte_no_log_and_no_answer(
    house: House, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    send_otlp(house)
    send_native(house)
    house.app.settle(SETTLE_S)
    assert {i["id"] for i in house.listed("interactions")} >= {"call-native"}
    if ON_LAKE:
        content = stored(house.folder)
        assert content.count(b"<email:") >= 4  # the search looks where the texts are
        assert not [text for text in PRIVATE if text.encode() in content]
    else:
        assert {"interaction", "feedback", "span_content", "dead_letter"} <= where_in_tables(house.file, "<email:")
        nowhere(house.file)
    logged = caplog.text + "".join(capfd.readouterr()) + (house.folder / "console.txt").read_text()
    assert not [p for p in PRIVATE if p in logged]
    for what in ("interactions", "feedback"):
        assert not [p for p in PRIVATE if p in json.dumps(house.listed(what))]


def test_feedback_finds_its_conversation_under_its_placeholder_and_the_user_can_be_erased(house: House) -> None:
    send_native(house)
    house.app.settle(SETTLE_S)
    (signal,) = house.listed("feedback")
    assert signal["linked_interaction_id"] == "call-native"
    done = house.api.post("/api/v1/compactions", json={"erase_user": USER}).raise_for_status().json()
    house.app.settle(SETTLE_S)
    assert done["removed"]["interaction"] == 1
    assert done["removed"]["dead_letter"] >= 1
    assert house.listed("interactions") == house.listed("feedback") == []


def test_lines_of_a_file_are_redacted_too(tmp_path: Path) -> None:
    config = tmp_path / "driftd.yaml"
    config.write_text("store: {path: driftd.duckdb}\n")
    redactor = redactor_of(load(config, {}))
    step = normalizer()
    step.redactor = redactor
    lines = tmp_path / "calls.jsonl"
    bad = json.dumps(native(id="bad", started_at=TEXT)).replace("@", "\\u0040")
    lines.write_text("\n".join([json.dumps(native()), bad, '{"cut": "' + TEXT]))
    with ingest_pipeline(tmp_path, with_normalizer=step) as home:
        counts, refused = ingest_file(home, lines)
        assert (counts.accepted, len(refused)) == (1, 2)
        nowhere(home.store)
        (call,) = home.rows()
        assert json.loads(call.output_messages[0].tool_calls[0].arguments)["pan"].startswith("<card:")
    assert (tmp_path / "redaction.salt").stat().st_mode & 0o777 == 0o600


def test_a_made_salt_is_kept_and_gives_the_same_placeholders_after_a_restart(tmp_path: Path) -> None:
    config = tmp_path / "driftd.yaml"
    config.write_text("store: {path: data/driftd.duckdb}\n")
    first, second = (redactor_of(load(config, {})) for _ in range(2))
    assert first.text(TEXT) == second.text(TEXT) != TEXT
    (tmp_path / "data" / "redaction.salt").unlink()
    assert redactor_of(load(config, {})).user(USER) != first.user(USER)
