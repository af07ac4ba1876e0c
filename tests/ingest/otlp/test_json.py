"""JSON and protobuf decode to the same records."""

import base64
import json
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from monitor.errors import MalformedRecord
from monitor.ingest.http.body import decompress
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from tests.ingest.captures import CLIENTS, captures

IDS = ("traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id")


def as_otlp_json(message: Any, *, snake_case: bool = False) -> bytes:
    """Return OTLP JSON with ids in hex; protobuf's own JSON has base64."""

    def hexed(value: Any) -> Any:
        if isinstance(value, list):
            return [hexed(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {k: base64.b64decode(v).hex().upper() if k in IDS else hexed(v) for k, v in value.items()}

    document = MessageToDict(message, use_integers_for_enums=True, preserving_proto_field_name=snake_case)
    return json.dumps(hexed(document)).encode()


@pytest.mark.parametrize("snake_case", [False, True])
@pytest.mark.parametrize("client", [c for c in CLIENTS if captures(c)[0].content_type != "application/json"])
def test_real_requests_give_the_same_in_all_spellings(client: str, snake_case: bool) -> None:
    for request in captures(client):
        traces = request.path.endswith("/v1/traces")
        message: Any = ExportTraceServiceRequest() if traces else ExportLogsServiceRequest()
        plain = decompress(request.body, request.content_encoding, 1 << 20)
        message.ParseFromString(plain)
        if traces:
            assert otlp_json.read_traces(as_otlp_json(message, snake_case=snake_case)) == otlp_protobuf.read_traces(
                plain
            )
        else:
            assert otlp_json.read_logs(as_otlp_json(message, snake_case=snake_case)) == otlp_protobuf.read_logs(plain)


def one(attribute: Any, **span: Any) -> bytes:
    built = {"spans": [{"attributes": [{"key": "a", "value": attribute}]} | span], "unknown": 1}
    return json.dumps({"resourceSpans": [{"scopeSpans": [built]}], "more": {}}).encode()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"stringValue": "x"}, "x"),
        ({"intValue": "9"}, 9),
        ({"intValue": 9}, 9),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "NaN"}, "NaN"),
        ({"boolValue": False}, False),
        ({"bytesValue": "AAE="}, "0001"),
        ({"arrayValue": {"values": [{"intValue": "1"}, {}]}}, [1, None]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}}, {"k": "v"}),
        ({}, None),
        (None, None),
    ],
)
def test_every_kind_of_value_is_read(value: Any, plain: Any) -> None:
    [span] = otlp_json.read_traces(one(value)).spans
    assert span.attributes == {"a": plain}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"intValue": "9.5"}, "9.5"),
        ({"intValue": 2**64}, 2**64),
        ({"intValue": True}, True),
        ({"doubleValue": "much"}, "much"),
        ({"doubleValue": 10**400}, str(10**400)),
        ({"bytesValue": "%"}, "%"),
        ({"stringValue": 5}, 5),
        ({"boolValue": "true"}, "true"),
        ("x", "x"),
        ([1], [1]),
        ({"arrayValue": {"values": [1]}}, [1]),
        ({"arrayValue": {"values": 1}}, {"values": 1}),
        ({"kvlistValue": {"values": [1, {"key": "k", "value": {"intValue": "1"}}, {"key": 2}]}}, {"k": 1, "": None}),
    ],
)
def test_a_value_that_does_not_match_its_kind_is_unchanged(value: Any, plain: Any) -> None:
    [span] = otlp_json.read_traces(one(value)).spans
    assert span.attributes == {"a": plain}


@pytest.mark.parametrize(
    "odd",
    [
        {"name": 7},
        {"endTimeUnixNano": "soon"},
        {"parentSpanId": 7},
        {"events": "none"},
        {"events": [7, {"name": 7, "timeUnixNano": "now", "attributes": 7}]},
        {"status": "ok"},
    ],
)
def test_an_unreadable_field_does_not_affect_the_rest_of_the_span(odd: dict[str, Any]) -> None:
    found = otlp_json.read_traces(one({"intValue": "1"}, **odd))
    assert ([s.attributes for s in found.spans], found.bad) == ([{"a": 1}], ())


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ({"traceId": 7}, "traceId is not a string"),
        ({"spanId": 7}, "spanId is not a string"),
        ({"startTimeUnixNano": "now"}, "startTimeUnixNano is not a 64-bit integer"),
        ({"attributes": 7}, "attributes is not a list of objects"),
    ],
)
def test_a_wrong_id_or_start_rejects_only_its_span(field: dict[str, Any], reason: str) -> None:
    found = otlp_json.read_traces(one({"intValue": "1"}, **({"traceId": "AB"} | field)))
    assert (found.spans, [b.reason for b in found.bad]) == ((), [reason])


def test_a_field_in_both_spellings_rejects_its_span() -> None:
    """A sender that builds its own JSON may mix the spellings. If one value were ignored, its loss
    would be invisible.
    """
    [span] = otlp_json.read_traces(one({"string_value": "x"}, trace_id="AB", parentSpanId="CD")).spans
    assert (span.attributes, span.trace_id, span.parent_span_id) == ({"a": "x"}, "ab", "cd")
    found = otlp_json.read_traces(one({}, trace_id="AB", traceId="CD"))
    assert [b.reason for b in found.bad] == ["traceId is repeated as trace_id"]
    nested = {"array_value": {"values": [{"int_value": "1"}, {"kvlist_value": {"values": []}}]}}
    [span] = otlp_json.read_traces(one(nested)).spans
    assert span.attributes == {"a": [1, {}]}


def test_a_value_of_unknown_kind_is_unchanged_in_either_spelling() -> None:
    for name in ("textValue", "string_value"):
        [span] = otlp_json.read_traces(one({name: 5})).spans
        assert span.attributes == {"a": 5}


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR"])
def test_a_failed_status_is_known_by_number_and_by_name(code: Any) -> None:
    [span] = otlp_json.read_traces(one({}, status={"code": code})).spans
    assert span.failed


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[]", "the body is not a JSON object"),
        (b'{"resourceSpans": {}}', "resourceSpans is not a list of objects"),
        (b'{"resourceSpans": [{"resource": 1}]}', "resource is not an object"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [1]}]}]}', "spans is not a list of objects"),
    ],
)
def test_an_invalid_document_is_rejected(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedRecord, match=reason):
        otlp_json.read_traces(body)


def test_values_nested_too_deep_are_malformed() -> None:
    body = b'{"arrayValue":{"values":[' * 20_000
    with pytest.raises(MalformedRecord, match="not JSON"):
        otlp_json.read_traces(b'{"resourceSpans":[' + body)


@given(st.binary(max_size=200))
def test_any_bytes_as_protobuf_are_read_or_malformed(body: bytes) -> None:
    for read in (otlp_protobuf.read_traces, otlp_protobuf.read_logs):
        with suppress(MalformedRecord):
            read(body)


def test_bytes_and_empty_values_of_protobuf_are_plain() -> None:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.attributes.add(key="b", value=AnyValue(bytes_value=b"\x00\x01"))
    span.attributes.add(key="e")
    [read] = otlp_protobuf.read_traces(request.SerializeToString()).spans
    assert read.attributes == {"b": "0001", "e": None}
