"""A record beyond a limit gives the same result on every ingest path."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict  # type: ignore[import-untyped]  # protobuf ships no types
from msgspec import structs

from monitor.api.auth import Tokens
from monitor.domain.interaction import ContentState, Interaction
from monitor.ingest.limits import Limits
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, feedback, interactions
from tests.api.house import open_house
from tests.ingest import build
from tests.ingest.http.test_transports import ONCE
from tests.ingest.ingest_paths import INGEST_PATHS, NATIVE_PATHS, TOPIC
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline
from tests.ingest.transports import MESSAGES, to_base64, with_ids

LIMITS = Limits(plain_bytes=60_000, records=9, depth=6, attributes=20, value_chars=1_000)
PLACE = re.compile(rf"{TOPIC} \d+( \[\d+\])?: |(requests|calls\.\w+) (line|message|row) \d+: ")
StoredRows = tuple[list[Interaction], list[str]]  # rows, and the reasons of rejected records


def stored_rows(store: Store) -> StoredRows:
    with store.read() as tx:
        rows = interactions.page(tx, PageQuery(limit=500)).items
        letters = dead_letters.page(tx, PageQuery(limit=500)).items
    same = [structs.replace(row, received_at=ONCE, source="any") for row in rows]
    return sorted(same, key=lambda row: row.id), sorted(PLACE.sub("", letter.reason) for letter in letters)


def of_house(pipeline: IngestPipeline) -> StoredRows:
    pipeline.join()
    return stored_rows(pipeline.store)


def text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "deep"}
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    return {"key": "x", "value": value}


def many(number: int) -> list[dict[str, Any]]:
    return [text(f"a{i}", "x") for i in range(number)]


def span(name: str, *attributes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "traceId": build.TRACE,
        "spanId": name.encode().hex().ljust(16, "0")[:16],
        "name": name,
        "startTimeUnixNano": "1795215911000000000",
        "endTimeUnixNano": "1795215912000000000",
        "attributes": [text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "gpt-4"), *attributes],
    } | fields


def message_attribute(content: str) -> dict[str, Any]:
    return text("gen_ai.input.messages", json.dumps([{"role": "user", "content": "Why?"}, {"content": content}]))


def event(name: str, *attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "traceId": build.TRACE,
        "spanId": name.encode().hex().ljust(16, "0")[:16],
        "eventName": "gen_ai.client.inference.operation.details",
        "timeUnixNano": "1795215912000000000",
        "attributes": list(attributes),
    }


def request(signal: str, *records: dict[str, Any], resource: int = 2) -> bytes:
    """Return a request in protobuf. `resource` is the number of resource attributes."""
    outer, scopes, inner = {
        "traces": ("resourceSpans", "scopeSpans", "spans"),
        "logs": ("resourceLogs", "scopeLogs", "logRecords"),
    }[signal]
    group = {"resource": {"attributes": many(resource)}, scopes: [{inner: list(records)}]}
    body: bytes = ParseDict(with_ids({outer: [group]}, to_base64), MESSAGES[signal]()).SerializeToString()
    return body


SENT = (
    request(
        "traces",
        span("fine", nested(6), *many(14), message_attribute("ok")),
        span("deep", nested(7)),
        span("many", *many(17)),
        span("event", events=[{"name": "e", "timeUnixNano": "1", "attributes": [nested(7)]}]),
        span("long", message_attribute("x" * 2_000)),
        span("bare"),
        span("bare too"),
    ),
    request("traces", span("heavy", *many(7)), resource=12),
    request(
        "logs",
        event("bare", message_attribute("x" * 2_000)),
        event("bare too", message_attribute("ok")),
        event("deep", nested(7)),
        event("many", *many(19)),
    ),
)


@pytest.mark.parametrize("ingest_path", INGEST_PATHS)
def test_otlp_records_beyond_a_limit_are_the_same_on_every_ingest_path(ingest_path: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        with INGEST_PATHS[ingest_path](pipeline, LIMITS, tmp_path) as send:
            assert (send("traces", SENT[0]), send("logs", SENT[2])) == ("", "")
            send("traces", SENT[1])
        rows, reasons = of_house(pipeline)
    named = {bytes.fromhex(row.span_id or "").rstrip(b"\0").decode(): row for row in rows}
    assert {name: row.content_state for name, row in named.items()} == {
        "fine": ContentState.PARTIAL,
        "long": ContentState.TRUNCATED,
        "bare": ContentState.TRUNCATED,
        "bare too": ContentState.PARTIAL,
    }
    assert {name: [m.content for m in row.input_messages] for name, row in named.items()} == {
        "fine": ["Why?", "ok"],
        "long": ["Why?"],
        "bare": ["Why?"],
        "bare too": ["Why?", "ok"],
    }
    deep = "a value is nested deeper than 6 (ingest.limits.depth); send it as JSON text"
    most = "attributes are more than 20 (ingest.limits.attributes); record fewer or raise the limit"
    details = "event 'gen_ai.client.inference.operation.details'"
    assert reasons == sorted(
        [
            f"span 'deep': {deep}",
            f"span 'event': {deep}",
            f"{details}: {deep}",
            f"span 'many': 21 {most}",
            f"span 'heavy': 21 {most}",
            f"{details}: 21 {most}",
        ]
    )


@pytest.mark.parametrize("ingest_path", INGEST_PATHS)
def test_a_request_of_too_many_records_is_rejected_on_every_ingest_path(ingest_path: str, tmp_path: Path) -> None:
    body = request("traces", *(span(f"s{i}") for i in range(10)))
    with ingest_pipeline(tmp_path) as pipeline, INGEST_PATHS[ingest_path](pipeline, LIMITS, tmp_path) as send:
        result = PLACE.sub("", send("traces", body))
        assert result == "the request has 10 records, more than 9 (ingest.limits.records); send smaller batches"
        assert pipeline.rows() == []


@pytest.mark.parametrize("ingest_path", INGEST_PATHS)
def test_a_request_that_is_too_large_is_rejected_on_every_ingest_path(ingest_path: str, tmp_path: Path) -> None:
    body = request("traces", *(span(f"s{i}", text("x", "y" * 9_000)) for i in range(9)))
    with ingest_pipeline(tmp_path) as pipeline, INGEST_PATHS[ingest_path](pipeline, LIMITS, tmp_path) as send:
        assert "ingest.max_body_mb" in send("traces", body)
        assert pipeline.rows() == []


@pytest.mark.parametrize(
    "ingest_path", [ingest_path for ingest_path in INGEST_PATHS if "http" not in ingest_path and ingest_path != "grpc"]
)
def test_the_dead_letter_names_the_position_of_the_record(ingest_path: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, INGEST_PATHS[ingest_path](pipeline, LIMITS, tmp_path) as send:
        send("traces", SENT[1])
        [letter] = pipeline.letters()
    where = (
        f"{TOPIC} 0: " if "kafka" in ingest_path else f"requests {'line' if 'json' in ingest_path else 'message'} 1: "
    )
    assert letter.reason.startswith(f"{where}span 'heavy': 21 attributes")


def deep(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


def call(id_: str, **fields: Any) -> dict[str, Any]:
    return build.native(id=id_, deployment="support", **fields)


def request_with(*contents: Any) -> dict[str, Any]:
    return {"model": "gpt-4", "messages": [{"role": "user", "content": content} for content in contents]}


PART = {"type": "tool_call", "name": "look"}
NATIVE: list[dict[str, Any]] = [
    call("fine", attributes={"x": deep(6), **{f"a{i}": 1 for i in range(19)}}),
    call("fine too", request=request_with("x" * 1_000, [PART | {"arguments": deep(2)}])),
    call("deep", attributes={"x": deep(7)}),
    call("deep too", request=request_with([PART | {"arguments": deep(3)}])),
    call("many", attributes={f"a{i}": 1 for i in range(21)}),
    call("long", request=request_with("Why?", "x" * 2_000)),
    call("long too", attributes={"a": {"b": "x" * 2_000}}, documents=[{"id": "d", "content": "y" * 2_000}]),
    call("model", request={"model": "x" * 2_000}),
    call("user", user_id="u" * 2_000),
]
FEEDBACK = build.native_feedback(id="said", deployment="support", comment="x" * 2_000)


def assert_limited(found: StoredRows) -> None:
    rows, reasons = found
    assert {row.id: row.content_state for row in rows} == {
        "fine": ContentState.FULL,
        "fine too": ContentState.FULL,
        "long": ContentState.TRUNCATED,
        "long too": ContentState.TRUNCATED,
    }
    named = {row.id: row for row in rows}
    assert [m.content for m in named["long"].input_messages] == ["Why?", "x" * 1_000]
    assert named["long too"].attributes == {"a": {"b": "x" * 1_000}}
    assert [d.content for d in named["long too"].documents] == ["y" * 1_000]
    nested_too_deep = "a value is nested deeper than 6 (ingest.limits.depth); send it as JSON text"
    too_long = "has 2000 characters, more than 1000 (ingest.limits.value_kb)"
    assert reasons == sorted(
        [
            nested_too_deep,
            nested_too_deep,
            "21 attributes are more than 20 (ingest.limits.attributes); record fewer or raise the limit",
            f"field 'request.model' {too_long}",
            f"field 'user_id' {too_long}",
            f"field 'comment' {too_long}",
        ]
    )


@pytest.mark.parametrize("ingest_path", NATIVE_PATHS)
def test_native_records_beyond_a_limit_are_the_same_on_every_ingest_path(ingest_path: str, tmp_path: Path) -> None:
    limits = replace(LIMITS, records=len(NATIVE) + 1)
    with ingest_pipeline(tmp_path) as pipeline:
        NATIVE_PATHS[ingest_path](pipeline, [*NATIVE, FEEDBACK], limits, tmp_path)
        assert_limited(of_house(pipeline))
        with pipeline.store.read() as tx:
            assert feedback.count(tx) == 0


def test_native_records_over_the_api_are_the_same(tmp_path: Path) -> None:
    limits = replace(LIMITS, records=len(NATIVE))
    with open_house(tmp_path, tokens=Tokens(), limits=limits) as pipeline:
        answer = pipeline.post("/api/v1/interactions", NATIVE)
        assert [r["index"] for r in answer.json()["rejected"]] == [2, 3, 4, 7, 8]
        assert pipeline.post("/api/v1/feedback", [FEEDBACK]).json()["accepted"] == 0
        assert_limited(stored_rows(pipeline.store))
        refused = pipeline.post("/api/v1/interactions", [*NATIVE, call("more")])
        assert (refused.status_code, "ingest.limits.records" in refused.text) == (413, True)


def test_an_array_of_too_many_records_in_kafka_is_one_dead_letter(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        NATIVE_PATHS["kafka, an array"](pipeline, [call(f"c{i}") for i in range(10)], LIMITS, tmp_path)
        assert pipeline.rows() == []
        [letter] = pipeline.letters()
    assert letter.reason == (
        f"{TOPIC} 0: the value has 10 records, more than 9 (ingest.limits.records); send smaller batches"
    )


@pytest.mark.parametrize("ingest_path", ["kafka", "file, lines", "file, parquet"])
def test_a_record_that_is_too_large_is_a_dead_letter_and_the_next_one_is_stored(
    ingest_path: str, tmp_path: Path
) -> None:
    large = call("large", request=request_with(*["x" * 900] * 70))
    with ingest_pipeline(tmp_path) as pipeline:
        NATIVE_PATHS[ingest_path](pipeline, [large, call("next")], LIMITS, tmp_path)
        assert [row.id for row in pipeline.rows()] == ["next"]
        [letter] = pipeline.letters()
    assert "ingest.max_body_mb" in letter.reason


@pytest.mark.parametrize("ingest_path", NATIVE_PATHS)
def test_two_records_that_differ_after_the_cut_are_two(ingest_path: str, tmp_path: Path) -> None:
    both = [{k: v for k, v in call("", request=request_with("x" * 1_500 + end)).items() if k != "id"} for end in "ab"]
    with ingest_pipeline(tmp_path) as pipeline:
        NATIVE_PATHS[ingest_path](pipeline, both, LIMITS, tmp_path)
        assert len(pipeline.rows()) == 2
