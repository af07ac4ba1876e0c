"""Decode OTLP JSON: ids in hex, keys in camelCase or snake_case, 64-bit integers as strings. Other fields are ignored.

An error of the document rejects the request. An error of one span or log record makes it a BadRecord.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from monitor.errors import MalformedRecord
from monitor.ingest.http.body import MAX_RECORDS, too_many_records
from monitor.ingest.json_text import parse_json, storable
from monitor.ingest.otlp.json_values import (
    attributes_of,
    integer,
    items,
    optional_integer,
    optional_text,
    text,
    value_of,
)
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpRequest, OtlpSpan, SpanEvent

R = TypeVar("R", OtlpSpan, OtlpLog)
STATUS_ERROR = (2, "2", "STATUS_CODE_ERROR")


def read_traces(body: bytes) -> OtlpRequest:
    document = _document(body)
    read, bad = _records(document, ("resourceSpans", "scopeSpans", "spans"), _span)
    return OtlpRequest(spans=tuple(read), bad=tuple(bad))


def read_logs(body: bytes) -> OtlpRequest:
    document = _document(body)
    read, bad = _records(document, ("resourceLogs", "scopeLogs", "logRecords"), _log)
    return OtlpRequest(logs=tuple(read), bad=tuple(bad))


def _document(body: bytes) -> dict[str, Any]:
    document = parse_json(body, "the body")
    if not isinstance(document, dict):
        raise MalformedRecord("the body is not a JSON object")
    return document


def _records(
    document: dict[str, Any], path: tuple[str, str, str], read: Callable[[dict[str, Any], dict[str, Any]], R]
) -> tuple[list[R], list[BadRecord]]:
    good: list[R] = []
    bad: list[BadRecord] = []
    for number, (raw, resource) in enumerate(_walk(document, path)):
        if number == MAX_RECORDS:
            raise too_many_records()
        try:
            good.append(read(storable(raw), resource))
        except MalformedRecord as error:
            bad.append(_bad(raw, str(error)))
        except RecursionError:
            bad.append(_bad(raw, "the record is nested too deep"))
    return good, bad


def _bad(raw: dict[str, Any], reason: str) -> BadRecord:
    trace_id = raw.get("traceId") or raw.get("trace_id")
    return BadRecord(reason=reason, raw=raw, trace_id=trace_id if isinstance(trace_id, str) else None)


def _walk(document: dict[str, Any], path: tuple[str, str, str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    outer, middle, inner = path
    for group in items(document, outer):
        attributes = _resource(group.get("resource") or {})
        for scope in items(group, middle):
            for raw in items(scope, inner):
                yield raw, attributes


def _resource(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise MalformedRecord("resource is not an object")
    try:
        return attributes_of(storable(raw))
    except RecursionError:
        raise MalformedRecord("resource is nested too deep") from None


def _span(raw: dict[str, Any], resource: dict[str, Any]) -> OtlpSpan:
    status = raw.get("status") or {}
    return OtlpSpan(
        trace_id=text(raw, "traceId").lower(),
        span_id=text(raw, "spanId").lower(),
        parent_span_id=optional_text(raw, "parentSpanId").lower() or None,
        name=optional_text(raw, "name"),
        start_ns=integer(raw, "startTimeUnixNano"),
        end_ns=optional_integer(raw, "endTimeUnixNano"),
        attributes=attributes_of(raw),
        events=_events(raw),
        failed=isinstance(status, dict) and status.get("code") in STATUS_ERROR,
        resource=resource,
    )


def _events(raw: dict[str, Any]) -> tuple[SpanEvent, ...]:
    """Return the events that are objects; other values do not make the span malformed."""
    found = raw.get("events")
    return tuple(_event(event) for event in found if isinstance(event, dict)) if isinstance(found, list) else ()


def _event(raw: dict[str, Any]) -> SpanEvent:
    return SpanEvent(
        name=optional_text(raw, "name"),
        time_ns=optional_integer(raw, "timeUnixNano"),
        attributes=attributes_of(raw) if isinstance(raw.get("attributes"), list) else {},
    )


def _log(raw: dict[str, Any], resource: dict[str, Any]) -> OtlpLog:
    attributes = attributes_of(raw)
    return OtlpLog(
        trace_id=text(raw, "traceId").lower(),
        span_id=text(raw, "spanId").lower(),
        event_name=optional_text(raw, "eventName") or str(attributes.get("event.name", "")),
        time_ns=optional_integer(raw, "timeUnixNano") or optional_integer(raw, "observedTimeUnixNano"),
        attributes=attributes,
        body=value_of(raw.get("body")),
        resource=resource,
    )
