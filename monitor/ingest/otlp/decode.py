"""Decode OTLP records to interactions and texts. The first matching convention reads a record; others are skipped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from msgspec.structs import replace

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.domain.span_link import SpanLink
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.base import CallContext, Convention
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.kept_attributes import attributes_for_calls_below
from monitor.ingest.conventions.roles import CALL, TOOL
from monitor.ingest.conventions.span_context import has_span_context, span_context_of
from monitor.ingest.conventions.table import Candidates, candidate_finder, read_call, recognized
from monitor.ingest.conventions.texts.call_texts import Texts, merged
from monitor.ingest.conventions.unread import UnreadNotes, with_unread
from monitor.ingest.feedback_shapes.table import feedback_in
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.otlp.duplicates import Call, Retrieved, attach_documents, mark_duplicates
from monitor.ingest.otlp.span_tree import SpanTree
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpRequest, OtlpSpan

RUN = "driftd.run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """`runs`: trace ids with the replay run that their spans name. `skipped`: records without a call or text."""

    interactions: tuple[Interaction, ...]
    contents: tuple[SpanContent, ...]
    bad: tuple[BadRecord, ...]
    runs: Mapping[str, str]
    skipped: int
    feedback: tuple[Feedback, ...] = ()
    span_contexts: tuple[InheritedAttributes, ...] = ()
    links: tuple[SpanLink, ...] = ()


def decode(
    request: OtlpRequest, *, rules: DeploymentRules, conventions: Sequence[Convention], now: datetime
) -> Decoded:
    """Return everything that driftd reads from the request. It never raises because of the content of a record."""
    spans = _decode_spans(request.spans, rules, conventions, now)
    contents, bad_logs, skipped_logs = _decode_logs(request.logs, conventions, now)
    signals = feedback_in(request.spans, request.logs, rules=rules, now=now)
    return Decoded(
        interactions=tuple(call.item for call in spans.calls),
        contents=tuple(contents),
        span_contexts=tuple(spans.span_contexts),
        links=tuple(spans.links),
        bad=(*request.bad, *spans.bad, *bad_logs, *signals.bad),
        runs=_runs([*request.spans, *request.logs]),
        skipped=spans.skipped + skipped_logs - signals.alone,
        feedback=signals.feedback,
    )


@dataclass(slots=True, kw_only=True)
class _DecodedSpans:
    """The records read from the spans of a request."""

    calls: list[Call] = field(default_factory=list)
    retrieved: list[Retrieved] = field(default_factory=list)
    span_contexts: list[InheritedAttributes] = field(default_factory=list)
    links: list[SpanLink] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    skipped: int = 0


def _decode_spans(
    spans: Sequence[OtlpSpan], rules: DeploymentRules, conventions: Sequence[Convention], now: datetime
) -> _DecodedSpans:
    decoded = _DecodedSpans()
    names = frozenset(rules.category_attributes.values())
    tree = SpanTree(spans, lambda attributes: attributes_for_calls_below(attributes, names))
    candidates_of = candidate_finder(tuple(conventions))
    shared_contexts: dict[str, CallContext] = {}  # by deployment, for the many calls without ancestors
    for span in spans:
        candidates = candidates_of(span.attributes)
        role, convention = recognized(span, candidates)
        if role is not CALL or convention is None:
            if span.parent_span_id:
                decoded.links.append(SpanLink(span.trace_id, span.span_id, span.parent_span_id, role is TOOL, now))
            _read_span_context(span, tree, rules, now, decoded)
            continue
        inherited = tree.inherited_attributes(span)
        deployment = rules.of_span(span.attributes, span.resource, inherited)
        context = None if inherited else shared_contexts.get(deployment)
        if context is None:
            context = CallContext(deployment=deployment, received_at=now, inherited=inherited, kept=inherited.kept)
            if not inherited:
                shared_contexts[deployment] = context
        try:
            decoded.calls.append(Call(span, _call_of(span, context, convention, candidates)))
        except MalformedRecord as error:
            decoded.bad.append(_bad_span(span, error))
    if decoded.retrieved:
        decoded.calls = attach_documents(decoded.calls, decoded.retrieved)
    decoded.calls = mark_duplicates(decoded.calls, decoded.links)
    return decoded


def _call_of(span: OtlpSpan, context: CallContext, convention: Convention, candidates: Candidates) -> Interaction:
    """Return the call, with its unread values among its attributes."""
    with UnreadNotes() as unread:
        call = None if candidates.compiled is None else candidates.compiled(span, context)
        if call is None or unread:
            unread.clear()
            call = read_call(span, context, convention, candidates)
    return replace(call, attributes=with_unread(call.attributes, unread)) if unread else call


def _read_span_context(
    span: OtlpSpan, tree: SpanTree, rules: DeploymentRules, now: datetime, decoded: _DecodedSpans
) -> None:
    """Read the span context of a span that is not a call; its calls may come in other requests."""
    decoded.skipped += 1
    if not has_span_context(span.attributes):
        return
    deployment = rules.of_span(span.attributes, span.resource, tree.inherited_attributes(span))
    span_context = span_context_of(span, deployment, now)
    if span_context is None:
        return
    decoded.span_contexts.append(span_context)
    if span_context.documents:
        decoded.retrieved.append(Retrieved(span, span_context.documents))


def _decode_logs(
    logs: Sequence[OtlpLog], conventions: Sequence[Convention], now: datetime
) -> tuple[list[SpanContent], list[BadRecord], int]:
    """Return one row for each span with all its texts, in the order of the events."""
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
    if not (texts.system or texts.inputs or texts.outputs or texts.cut):
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
        cut=texts.cut,
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
