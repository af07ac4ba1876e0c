from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.errors import MalformedRecord
from monitor.ingest.http.body import MAX_RECORDS, TooLarge
from monitor.ingest.otlp.frames import Frames
from monitor.ingest.otlp.protobuf import read_logs, read_traces
from tests.fuzz.requests import field, protobuf_span, varint
from tests.ingest.captures import CLIENTS, captures


def test_the_fields_of_a_number_are_found_among_all_others() -> None:
    others = varint(3 << 3) + varint(300) + varint(4 << 3 | 5) + b"1234" + varint(5 << 3 | 1) + b"12345678"
    message = field(1, b"a") + others + field(2, b"no") + field(1, b"") + field(1, b"x" * 300)
    assert list(Frames("x").of(message, 1)) == [b"a", b"", b"x" * 300]


@pytest.mark.parametrize(
    "message", [b"\x0a", b"\x0a\x05abcd", b"\xff" * 11, b"\x0b", b"\x09abc", b"\x0a" + b"\xff" * 9]
)
def test_bytes_that_are_not_a_message_are_malformed(message: bytes) -> None:
    with pytest.raises(MalformedRecord, match="not a protobuf X"):
        list(Frames("X").of(message, 1))


def test_too_many_records_are_rejected_without_decoding() -> None:
    records = field(2, b"") * (MAX_RECORDS + 1)
    attributes_of_one = field(2, field(9, b"") * (MAX_RECORDS + 1))
    for read in (read_traces, read_logs):
        for body in (records, attributes_of_one):
            with pytest.raises(TooLarge, match=f"more than {MAX_RECORDS} records"):
                read(field(1, field(2, body)))


def test_reading_by_record_gives_the_same_as_the_whole_message() -> None:
    """The expected result is protobuf's own parse of the whole request."""
    for client in CLIENTS:
        for capture in captures(client):
            if capture.path == "/v1/traces" and "protobuf" in capture.content_type and not capture.content_encoding:
                whole = ExportTraceServiceRequest.FromString(capture.body)
                spans = [s for g in whole.resource_spans for c in g.scope_spans for s in c.spans]
                read = read_traces(capture.body)
                assert [(s.trace_id, s.span_id, s.name) for s in read.spans] == [
                    (s.trace_id.hex(), s.span_id.hex(), s.name) for s in spans
                ]
                assert read.bad == ()


def test_only_the_broken_record_is_rejected_and_its_bytes_are_not_stored() -> None:
    """Its bytes may have texts of a sealed case, and this cannot be checked."""
    good = protobuf_span("good").SerializeToString()
    bad = protobuf_span("bad").SerializeToString() + field(9, b"secret \xff")
    read = read_traces(field(1, field(2, field(2, bad) + field(2, good))))
    assert [s.trace_id for s in read.spans] == [protobuf_span("good").trace_id.hex()]
    [letter] = read.bad
    assert "not valid protobuf" in letter.reason
    assert letter.raw == {"bytes": len(bad), "sha256": letter.raw["sha256"]}


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_malformed(body: bytes) -> None:
    for read in (read_traces, read_logs):
        with suppress(MalformedRecord):
            read(body)
