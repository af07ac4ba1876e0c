"""Apply the limits to OTLP records of all transports: HTTP, gRPC, Kafka and files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from msgspec import structs

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.base import Convention
from monitor.ingest.limits import (
    SHARED_CHARS,
    Limits,
    check_attribute_count,
    check_record_count,
    mark_truncated,
    shared_value,
    truncated,
    value_fits,
)
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.otlp.decode import Decoded, decode
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpRequest, OtlpSpan, SpanEvent

SpanKey = tuple[str, str]  # trace id, span id


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedRequest:
    """A request within the limits. `cut` are the spans and log records with truncated texts."""

    request: OtlpRequest
    cut: frozenset[SpanKey] = frozenset()


def decode_with_limits(
    request: OtlpRequest, limits: Limits, *, rules: DeploymentRules, conventions: Sequence[Convention], now: datetime
) -> Decoded:
    """Decode the records within the limits. Calls with truncated texts are marked.

    Raise TooLarge as `apply_limits` does.
    """
    limited = apply_limits(request, limits)
    decoded = decode(limited.request, rules=rules, conventions=conventions, now=now)
    if not limited.cut:
        return decoded
    return replace(
        decoded,
        interactions=tuple(
            mark_truncated(i) if (i.trace_id, i.span_id) in limited.cut else i for i in decoded.interactions
        ),
        contents=tuple(
            structs.replace(c, cut=True) if (c.trace_id, c.span_id) in limited.cut else c for c in decoded.contents
        ),
    )


def apply_limits(request: OtlpRequest, limits: Limits) -> LimitedRequest:
    """Return the request with records beyond a limit as bad ones. Raise TooLarge when there are too many records."""
    check_record_count(len(request.spans) + len(request.logs) + len(request.bad), limits)
    resources = _truncated_resources([*request.spans, *request.logs])
    spans, bad_spans, cut_spans = _within_limits(request.spans, limits, resources)
    logs, bad_logs, cut_logs = _within_limits(request.logs, limits, resources)
    if not (bad_spans or bad_logs or cut_spans or cut_logs or resources):
        return LimitedRequest(request=request)
    limited = OtlpRequest(
        spans=tuple(r for r in spans if isinstance(r, OtlpSpan)),
        logs=tuple(r for r in logs if isinstance(r, OtlpLog)),
        bad=(*request.bad, *bad_spans, *bad_logs),
    )
    return LimitedRequest(request=limited, cut=frozenset(cut_spans + cut_logs))


def _truncated_resources(records: Sequence[OtlpSpan | OtlpLog]) -> dict[int, Mapping[str, Any]]:
    """Return truncated copies of the resources with long texts, by the identity of the resource."""
    known = {id(record.resource): record.resource for record in records}
    return {
        key: {name: shared_value(value) for name, value in resource.items()}
        for key, resource in known.items()
        if not all(_is_short(value) for value in resource.values())
    }


def _is_short(value: Any) -> bool:
    return len(value) <= SHARED_CHARS if isinstance(value, str) else not isinstance(value, list | dict)


def _within_limits(
    records: Iterable[OtlpSpan | OtlpLog], limits: Limits, resources: Mapping[int, Mapping[str, Any]]
) -> tuple[list[OtlpSpan | OtlpLog], list[BadRecord], list[SpanKey]]:
    good: list[OtlpSpan | OtlpLog] = []
    bad: list[BadRecord] = []
    cut: list[SpanKey] = []
    for record in records:
        if resources and (shorter := resources.get(id(record.resource))) is not None:
            record = structs.replace(record, resource=shorter)  # noqa: PLW2901 - the same record with a shorter resource
        try:
            if _fits(record, limits):
                good.append(record)
            else:
                good.append(_truncated(record, limits))
                cut.append((record.trace_id, record.span_id))
        except MalformedRecord as error:
            bad.append(_bad(record, str(error)))
    return good, bad, cut


def _fits(record: OtlpSpan | OtlpLog, limits: Limits) -> bool:
    """Return whether no text is too long. Raise MalformedRecord when the record breaks another limit."""
    fits = _attributes_fit(record.attributes, limits, len(record.resource))
    if isinstance(record, OtlpLog):
        return value_fits(record.body, limits) and fits
    for event in record.events:
        fits = _attributes_fit(event.attributes, limits) and fits
    return fits


def _attributes_fit(attributes: Mapping[str, Any], limits: Limits, inherited: int = 0) -> bool:
    """`inherited`: the number of attributes of the resource, which count for every record of it."""
    if len(attributes) + inherited > limits.attributes:
        check_attribute_count(len(attributes) + inherited, limits)
    fits, longest = True, limits.value_chars
    for value in attributes.values():
        kind = type(value)
        if kind is str:
            if len(value) > longest:
                fits = False
        elif (kind is list or kind is dict) and not value_fits(value, limits):
            fits = False
    return fits


def _truncated(record: OtlpSpan | OtlpLog, limits: Limits) -> OtlpSpan | OtlpLog:
    attributes = truncated(record.attributes, limits.value_chars)
    if isinstance(record, OtlpLog):
        return structs.replace(record, attributes=attributes, body=truncated(record.body, limits.value_chars))
    events = tuple(_truncated_event(event, limits) for event in record.events)
    return structs.replace(record, attributes=attributes, events=events)


def _truncated_event(event: SpanEvent, limits: Limits) -> SpanEvent:
    return structs.replace(event, attributes=truncated(event.attributes, limits.value_chars))


def _bad(record: OtlpSpan | OtlpLog, reason: str) -> BadRecord:
    """Return a bad record without the values, which are too large to store."""
    what, name = ("span", record.name) if isinstance(record, OtlpSpan) else ("event", record.event_name)
    raw = {
        "traceId": record.trace_id,
        "spanId": record.span_id,
        "name": name[:200],
        "attributes": len(record.attributes),
    }
    return BadRecord(reason=f"{what} {name[:200]!r}: {reason}", raw=raw, trace_id=record.trace_id)
