"""OTLP records to interactions and texts: each record to the first convention that claims it, the rest is skipped."""

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction, SpanContent
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.base import CallContext, Convention
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.texts import Texts, merged
from monitor.ingest.deployments import DeploymentRules
from monitor.ingest.feedback_shapes.table import feedback_in
from monitor.ingest.otlp_records import BadRecord, OtlpLog, OtlpRequest, OtlpSpan

RUN = "driftd.run"
MAX_ANCESTORS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """`runs`: trace ids that say themselves which replay of ours they belong to. `skipped`: no model call, no text."""

    interactions: tuple[Interaction, ...]
    contents: tuple[SpanContent, ...]
    bad: tuple[BadRecord, ...]
    runs: Mapping[str, str]
    skipped: int
    feedback: tuple[Feedback, ...] = ()


def decode(
    request: OtlpRequest, *, rules: DeploymentRules, conventions: Sequence[Convention], now: datetime
) -> Decoded:
    """Everything the request holds for us. It never raises for what a record contains."""
    calls, bad_spans, skipped_spans = _calls(request.spans, rules, conventions, now)
    contents, bad_logs, skipped_logs = _contents(request.logs, conventions, now)
    signals = feedback_in(request.spans, request.logs, rules=rules, now=now)
    return Decoded(
        interactions=tuple(calls),
        contents=tuple(contents),
        bad=(*request.bad, *bad_spans, *bad_logs, *signals.bad),
        runs=_runs([*request.spans, *request.logs]),
        skipped=skipped_spans + skipped_logs - signals.logs,
        feedback=signals.feedback,
    )


def _calls(
    spans: Sequence[OtlpSpan], rules: DeploymentRules, conventions: Sequence[Convention], now: datetime
) -> tuple[list[Interaction], list[BadRecord], int]:
    calls: list[Interaction] = []
    bad: list[BadRecord] = []
    skipped = 0
    by_id = {(span.trace_id, span.span_id): span for span in spans}
    kept = frozenset(rules.category_attributes.values())
    for span in spans:
        convention = next((c for c in conventions if c.claims(span)), None)
        if convention is None:
            skipped += 1
            continue
        inherited = _inherited(span, by_id)
        context = CallContext(
            deployment=rules.of_span(ChainMap(dict(span.attributes), dict(inherited)), span.resource),
            received_at=now,
            inherited=inherited,
            kept_from_ancestors=kept,
        )
        try:
            calls.append(convention.read_call(span, context))
        except MalformedRecord as error:
            bad.append(_bad_span(span, error))
    return calls, bad, skipped


def _inherited(span: OtlpSpan, by_id: Mapping[tuple[str, str], OtlpSpan]) -> Mapping[str, Any]:
    """The attributes of the ancestors that came in the same request, the nearest winning."""
    found: list[dict[str, Any]] = []
    parent = span
    while parent.parent_span_id and len(found) < MAX_ANCESTORS:
        above = by_id.get((parent.trace_id, parent.parent_span_id))
        if above is None:
            break
        found.append(dict(above.attributes))
        parent = above
    return ChainMap(*found)


def _contents(
    logs: Sequence[OtlpLog], conventions: Sequence[Convention], now: datetime
) -> tuple[list[SpanContent], list[BadRecord], int]:
    """All texts of one span in one row, in the order of their events."""
    read: list[tuple[tuple[str, str], Texts]] = []
    bad: list[BadRecord] = []
    skipped = 0
    for record in sorted(logs, key=lambda r: (r.trace_id, r.span_id, r.time_ns)):
        convention = next((c for c in conventions if c.claims_log(record)), None)
        if convention is None:
            skipped += 1
            continue
        try:
            read.append(((record.trace_id, record.span_id), convention.read_texts(record)))
        except MalformedRecord as error:
            bad.append(_bad_log(record, error))
    by_span = groupby(read, key=lambda pair: pair[0])
    contents = [_content(span, merged(texts for _, texts in pairs), now) for span, pairs in by_span]
    return [c for c in contents if c is not None], bad, skipped


def _content(span: tuple[str, str], texts: Texts, now: datetime) -> SpanContent | None:
    if not (texts.system or texts.inputs or texts.outputs):
        return None
    return SpanContent(
        trace_id=span[0],
        span_id=span[1],
        received_at=now,
        system_prompt=texts.system_prompt,
        input_messages=texts.inputs,
        output_messages=texts.outputs,
        finish_reason=finish_reason(texts.finish_reason),
        finish_reason_raw=texts.finish_reason,
    )


def _runs(records: Iterable[OtlpSpan | OtlpLog]) -> dict[str, str]:
    return {r.trace_id: str(r.attributes[RUN]) for r in records if r.attributes.get(RUN)}


def _bad_span(span: OtlpSpan, error: MalformedRecord) -> BadRecord:
    events = [{"name": e.name, "attributes": dict(e.attributes)} for e in span.events]
    raw = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "startTimeUnixNano": span.start_ns,
        "attributes": dict(span.attributes),
        "events": events,
    }
    return BadRecord(reason=f"span {span.name!r}: {error}", raw=raw, trace_id=span.trace_id)


def _bad_log(record: OtlpLog, error: MalformedRecord) -> BadRecord:
    raw = {
        "traceId": record.trace_id,
        "spanId": record.span_id,
        "eventName": record.event_name,
        "attributes": dict(record.attributes),
        "body": record.body,
    }
    return BadRecord(reason=f"event {record.event_name!r}: {error}", raw=raw, trace_id=record.trace_id)
