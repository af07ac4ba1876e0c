"""What one OTLP record may hold. A record beyond is rejected with a sentence; a text beyond is cut and said to be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from monitor.errors import MalformedRecord
from monitor.ingest.http_body import MAX_RECORDS, TooLarge
from monitor.ingest.otlp_records import BadRecord, OtlpLog, OtlpRequest, OtlpSpan, SpanEvent

SpanKey = tuple[str, str]  # trace id, span id


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`ingest.max_body_mb` and `ingest.limits` in the units that are compared."""

    wire_bytes: int = 16 * 1024 * 1024  # of a body as it came
    plain_bytes: int = 16 * 1024 * 1024  # of a body after decompression
    records: int = MAX_RECORDS  # spans or log records of a request
    depth: int = 32  # lists and maps inside each other in one value
    attributes: int = 4_000  # of a span, an event or a log record
    value_chars: int = 1024 * 1024  # of one text


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A request inside its limits; `cut` are the spans and records that lost the end of a text."""

    request: OtlpRequest
    cut: frozenset[SpanKey] = frozenset()


def hold(request: OtlpRequest, limits: Limits) -> Held:
    """The request with records beyond a limit among the bad ones; TooLarge when there are too many records."""
    number = len(request.spans) + len(request.logs) + len(request.bad)
    if number > limits.records:
        raise TooLarge(
            f"the request holds {number} records, more than {limits.records} (ingest.limits.records); "
            "send smaller batches"
        )
    spans, bad_spans, cut_spans = _sorted_out(request.spans, limits)
    logs, bad_logs, cut_logs = _sorted_out(request.logs, limits)
    if not (bad_spans or bad_logs or cut_spans or cut_logs):
        return Held(request=request)
    held = OtlpRequest(
        spans=tuple(r for r in spans if isinstance(r, OtlpSpan)),
        logs=tuple(r for r in logs if isinstance(r, OtlpLog)),
        bad=(*request.bad, *bad_spans, *bad_logs),
    )
    return Held(request=held, cut=frozenset(cut_spans + cut_logs))


def _sorted_out(
    records: Iterable[OtlpSpan | OtlpLog], limits: Limits
) -> tuple[list[OtlpSpan | OtlpLog], list[BadRecord], list[SpanKey]]:
    good: list[OtlpSpan | OtlpLog] = []
    bad: list[BadRecord] = []
    cut: list[SpanKey] = []
    for record in records:
        try:
            if _fits(record, limits):
                good.append(record)
            else:
                good.append(_shortened(record, limits))
                cut.append((record.trace_id, record.span_id))
        except MalformedRecord as error:
            bad.append(_bad(record, str(error)))
    return good, bad, cut


def _fits(record: OtlpSpan | OtlpLog, limits: Limits) -> bool:
    """Whether no text is too long; MalformedRecord when the record breaks another limit."""
    fits = _attributes_fit(record.attributes, limits)
    if isinstance(record, OtlpLog):
        return _value_fits(record.body, limits, 0) and fits
    for event in record.events:
        fits = _attributes_fit(event.attributes, limits) and fits
    return fits


def _attributes_fit(attributes: Mapping[str, Any], limits: Limits) -> bool:
    if len(attributes) > limits.attributes:
        raise MalformedRecord(
            f"{len(attributes)} attributes are more than {limits.attributes} (ingest.limits.attributes); "
            "record fewer or raise the limit"
        )
    fits = True
    for value in attributes.values():
        kind = type(value)
        if kind is str:
            if len(value) > limits.value_chars:
                fits = False
        elif (kind is list or kind is dict) and not _value_fits(value, limits, 0):
            fits = False
    return fits


def _value_fits(value: Any, limits: Limits, depth: int) -> bool:
    if isinstance(value, str):
        return len(value) <= limits.value_chars
    if not isinstance(value, list | dict):
        return True
    if depth == limits.depth:
        raise MalformedRecord(
            f"a value is nested deeper than {limits.depth} (ingest.limits.depth); send it as JSON text"
        )
    fits = True
    for item in value.values() if isinstance(value, dict) else value:
        fits = _value_fits(item, limits, depth + 1) and fits
    return fits


def _shortened(record: OtlpSpan | OtlpLog, limits: Limits) -> OtlpSpan | OtlpLog:
    attributes = _cut(record.attributes, limits.value_chars)
    if isinstance(record, OtlpLog):
        return replace(record, attributes=attributes, body=_cut(record.body, limits.value_chars))
    events = tuple(_shortened_event(event, limits) for event in record.events)
    return replace(record, attributes=attributes, events=events)


def _shortened_event(event: SpanEvent, limits: Limits) -> SpanEvent:
    return replace(event, attributes=_cut(event.attributes, limits.value_chars))


def _cut(value: Any, chars: int) -> Any:
    if isinstance(value, str):
        return value[:chars]
    if isinstance(value, list):
        return [_cut(item, chars) for item in value]
    if isinstance(value, Mapping):
        return {key: _cut(item, chars) for key, item in value.items()}
    return value


def _bad(record: OtlpSpan | OtlpLog, why: str) -> BadRecord:
    """Without its values, which are what is too much of it."""
    what, name = ("span", record.name) if isinstance(record, OtlpSpan) else ("event", record.event_name)
    raw = {
        "traceId": record.trace_id,
        "spanId": record.span_id,
        "name": name[:200],
        "attributes": len(record.attributes),
    }
    return BadRecord(reason=f"{what} {name[:200]!r}: {why}", raw=raw, trace_id=record.trace_id)
