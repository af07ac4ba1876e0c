"""Decode OTLP protobuf from HTTP and gRPC.

An error of the framing rejects the request. An error inside one span or log record makes it a BadRecord, as in JSON.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from monitor.errors import MalformedRecord
from monitor.ingest.otlp.frames import Frames
from monitor.ingest.otlp.invalid_utf8 import read_repaired
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpRequest, OtlpSpan, SpanEvent

R = TypeVar("R", OtlpSpan, OtlpLog)
M = TypeVar("M", Span, LogRecord, Resource)
_FAILED: Final = Status.STATUS_CODE_ERROR
LARGE_RECORD_BYTES = 64 * 1024
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}  # as in OTLP JSON, which has no such numbers
RESOURCE, GROUP, SCOPE, RECORD = 1, 1, 2, 2  # field numbers, the same for spans and log records


def read_traces(body: bytes) -> OtlpRequest:
    read, bad = _records(body, "ExportTraceServiceRequest", Span, _span)
    return OtlpRequest(spans=tuple(read), bad=tuple(bad))


def read_logs(body: bytes) -> OtlpRequest:
    read, bad = _records(body, "ExportLogsServiceRequest", LogRecord, _log)
    return OtlpRequest(logs=tuple(read), bad=tuple(bad))


def is_span(raw: bytes) -> bool:
    """Return whether the bytes are a Span. Its field 7 is a time, unlike in a LogRecord or a Metric."""
    try:
        span = Span.FromString(raw)
    except DecodeError:
        return False
    return bool(span.start_time_unix_nano) or (len(span.trace_id), len(span.span_id)) == (16, 8)


def is_log(raw: bytes) -> bool:
    """Return whether the bytes are a LogRecord.

    Its times and attributes have other field numbers than those of a Span or a Metric.
    """
    try:
        log = LogRecord.FromString(raw)
    except DecodeError:
        return False
    return bool(log.time_unix_nano or log.observed_time_unix_nano or log.severity_number or log.attributes)


def _records(
    body: bytes, what: str, kind: type[M], read: Callable[[M, dict[str, Any]], R]
) -> tuple[list[R], list[BadRecord]]:
    frames = Frames(what)
    good: list[R] = []
    bad: list[BadRecord] = []
    for group in frames.of(body, GROUP):
        resource = _resource(b"".join(frames.of(group, RESOURCE)))
        for scope in frames.of(group, SCOPE):
            for raw in frames.of(scope, RECORD):
                if len(raw) > LARGE_RECORD_BYTES:
                    frames.count_fields(raw)  # its attributes may be as small as two bytes each
                try:
                    good.append(read(kind.FromString(raw), resource))
                except DecodeError:
                    repaired = _read_repaired(kind, raw)
                    if repaired is None:
                        bad.append(_bad(raw))
                    else:
                        good.append(read(repaired, resource))
    return good, bad


def _resource(raw: bytes) -> dict[str, Any]:
    try:
        return _attributes(Resource.FromString(raw).attributes)
    except DecodeError:
        if (repaired := _read_repaired(Resource, raw)) is None:
            raise MalformedRecord("a resource of the request is not a protobuf Resource") from None
        return _attributes(repaired.attributes)


def _read_repaired(kind: type[M], raw: bytes) -> M | None:
    """Return the record with repaired texts; None when anything else is wrong with it."""
    try:
        return read_repaired(kind, raw)
    except DecodeError:
        return None


def _bad(raw: bytes) -> BadRecord:
    """Return a bad record without its bytes, which may have texts of a sealed case."""
    summary = {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    return BadRecord(
        reason="a record is not valid protobuf: truncated, nested too deep, or too large to repair its texts",
        raw=summary,
    )


def _span(span: Span, resource: dict[str, Any]) -> OtlpSpan:
    events = span.events
    return OtlpSpan(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_span_id=span.parent_span_id.hex() or None,
        name=span.name,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        events=tuple(map(_event, events)) if events else (),
        failed=span.status.code == _FAILED,
        resource=resource,
    )


def _event(event: Span.Event) -> SpanEvent:
    return SpanEvent(name=event.name, time_ns=event.time_unix_nano, attributes=_attributes(event.attributes))


def _log(record: LogRecord, resource: dict[str, Any]) -> OtlpLog:
    attributes = _attributes(record.attributes)
    return OtlpLog(
        trace_id=record.trace_id.hex(),
        span_id=record.span_id.hex(),
        event_name=record.event_name or str(attributes.get("event.name", "")),
        time_ns=record.time_unix_nano or record.observed_time_unix_nano,
        attributes=attributes,
        body=_value(record.body),
        resource=resource,
    )


def _attributes(pairs: Sequence[KeyValue]) -> dict[str, Any]:
    # Most values are texts, then integers. Reading one takes half the time of `WhichOneof`.
    # A slice reads all pairs at once, which is faster than iteration.
    return {pair.key: (value := pair.value).string_value or value.int_value or _value(value) for pair in pairs[:]}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "double_value":
        found = value.double_value
        return found if isfinite(found) else NOT_FINITE[str(found)]
    if kind == "array_value":
        return [item.string_value or _value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    if kind == "bytes_value":
        return value.bytes_value.hex()
    return getattr(value, kind)
