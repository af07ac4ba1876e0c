"""Invalid UTF-8 in a protobuf record affects only its own characters."""

from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from monitor.ingest.otlp.invalid_utf8 import MAX_FIELDS, read_repaired
from monitor.ingest.otlp.protobuf import read_logs, read_traces
from tests.fuzz.requests import field, protobuf_span

PLACE = "PLACE"  # a text with as many bytes as its replacement
TEXT = KeyValue(key="gen_ai.output.messages", value=AnyValue(string_value=f"before {PLACE} after"))


def any_value(inner: AnyValue, wrappers: list[str]) -> AnyValue:
    for wrapper in wrappers:
        if wrapper == "list":
            inner = AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=7), inner]))
        else:
            inner = AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key=f"k {PLACE}", value=inner)]))
    return inner


def read_span(raw: bytes) -> Any:
    read = read_traces(field(1, field(2, field(2, raw))))
    assert read.bad == ()
    [span] = read.spans
    return span


@given(
    st.binary(min_size=len(PLACE), max_size=len(PLACE)),
    st.lists(st.sampled_from(["list", "map"]), max_size=6),
    st.sampled_from(["attribute", "event", "name", "key"]),
)
def test_any_bytes_in_any_text_leave_the_rest_of_the_span_unchanged(
    wrong: bytes, wrappers: list[str], place: str
) -> None:
    """The expected result is the same span with Python's replacement characters."""
    span = protobuf_span("one", KeyValue(key="n", value=AnyValue(double_value=0.5)))
    result = any_value(AnyValue(string_value=f"before {PLACE} after"), wrappers)
    match place:
        case "attribute":
            span.attributes.append(KeyValue(key="told", value=result))
        case "event":
            span.events.append(Span.Event(name=PLACE, attributes=[KeyValue(key="told", value=result)]))
        case "name":
            span.name = PLACE
        case "key":
            span.attributes.append(KeyValue(key=PLACE, value=result))
    raw = span.SerializeToString()
    found = read_repaired(Span, raw.replace(PLACE.encode(), wrong))
    assert found == _replaced(Span.FromString(raw), wrong)


def _replaced(span: Span, wrong: bytes) -> Span:
    text = wrong.decode(errors="replace")
    new = Span()
    new.CopyFrom(span)
    new.name = span.name.replace(PLACE, text)
    for pair in new.attributes:
        _replace(pair, text)
    for event in new.events:
        event.name = event.name.replace(PLACE, text)
        for pair in event.attributes:
            _replace(pair, text)
    return new


def _replace(pair: KeyValue, text: str) -> None:
    pair.key = pair.key.replace(PLACE, text)
    _replace_value(pair.value, text)


def _replace_value(value: AnyValue, text: str) -> None:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        value.string_value = value.string_value.replace(PLACE, text)
    elif kind == "array_value":
        for item in value.array_value.values:
            _replace_value(item, text)
    elif kind == "kvlist_value":
        for pair in value.kvlist_value.values:
            _replace(pair, text)


def test_a_span_with_a_broken_text_lands_with_its_other_fields() -> None:
    span = protobuf_span("one", TEXT)
    found = read_span(span.SerializeToString().replace(PLACE.encode(), b"\xffx\xfe\xc3y"))
    assert (found.trace_id, found.span_id, found.start_ns) == (
        span.trace_id.hex(), span.span_id.hex(), span.start_time_unix_nano,
    )  # fmt: skip
    assert found.attributes["gen_ai.output.messages"] == "before \ufffdx\ufffd\ufffdy after"
    assert found.attributes["gen_ai.request.model"] == "gpt-4"


def test_a_resource_and_a_log_record_are_repaired_too() -> None:
    service = field(1, KeyValue(key="service.name", value=AnyValue(string_value="bot PLACE")).SerializeToString())
    record = LogRecord(time_unix_nano=5, body=AnyValue(string_value="answer PLACE")).SerializeToString()
    body = (field(1, field(1, service) + field(2, field(2, record)))).replace(b"PLACE", b"\xff\xff\xff\xff\xff")
    [log] = read_logs(body).logs
    assert log.body == "answer " + "\ufffd" * 5
    assert log.resource == {"service.name": "bot " + "\ufffd" * 5}


def test_a_record_of_very_many_fields_is_not_repaired() -> None:
    raw = field(5, b"\xff") + field(5, b"") * MAX_FIELDS
    with pytest.raises(DecodeError, match="too many fields"):
        read_repaired(Span, raw)


@given(st.binary(max_size=200))
def test_any_bytes_are_repaired_or_rejected(raw: bytes) -> None:
    with suppress(DecodeError):
        read_repaired(Span, raw)
