"""OTLP spans and log records as plain values, independent of the encoding. Ids are lower-case hex."""

from collections.abc import Mapping
from typing import Any

import msgspec


class SpanEvent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    name: str
    time_ns: int
    attributes: Mapping[str, Any]


class OtlpSpan(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    trace_id: str
    span_id: str
    parent_span_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Any]
    events: tuple[SpanEvent, ...]
    failed: bool  # status code ERROR
    resource: Mapping[str, Any]


class OtlpLog(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """`event_name` is the field of the record, or the older attribute `event.name`."""

    trace_id: str
    span_id: str
    event_name: str
    time_ns: int
    attributes: Mapping[str, Any]
    body: Any
    resource: Mapping[str, Any]


class BadRecord(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A record that cannot be read, with the reason and its content."""

    reason: str
    raw: Any  # JSON value
    trace_id: str | None = None


class OtlpRequest(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """All records of one request."""

    spans: tuple[OtlpSpan, ...] = ()
    logs: tuple[OtlpLog, ...] = ()
    bad: tuple[BadRecord, ...] = ()
