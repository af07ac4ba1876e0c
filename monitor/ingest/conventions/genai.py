"""The OpenTelemetry GenAI conventions, both generations: a span to an interaction, events to its texts.

Current names (1.37 and later) say `gen_ai.provider.name` and put messages into attributes or one event; old ones say
`gen_ai.system` and send an event per message. Senders mix them, so each name is looked up on its own.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.domain.interaction import Interaction, Status
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions import genai_texts
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.error_classes import error_class
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.genai_attributes import attributes_worth_keeping
from monitor.ingest.conventions.texts import Texts, content_state, merged
from monitor.ingest.json_list import read_list
from monitor.ingest.otlp_records import OtlpLog, OtlpSpan

OPERATION = "gen_ai.operation.name"
OLD_OPERATION = "llm.request.type"  # of dialects that stand before this one: an embedding of theirs is no call either
CALLS = frozenset(["chat", "text_completion", "generate_content", "completion", "responses"])
NO_CALL = ("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.agent.name", "gen_ai.agent.id", "gen_ai.data_source.id")
HEX = re.compile(r"[0-9a-f]+")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class GenAI:
    """See `Convention`."""

    name = "otel-genai"

    def claims(self, span: OtlpSpan) -> bool:
        """Spans of tools, agents, embeddings and retrieval are no calls of a model that answers."""
        found = span.attributes
        operation = found.get(OPERATION)
        if operation is not None:
            return operation in CALLS if isinstance(operation, str) else "gen_ai.request.model" in found
        if OLD_OPERATION in found and not read.one_of(found[OLD_OPERATION], CALLS):
            return False
        return "gen_ai.request.model" in found and not any(name in found for name in NO_CALL)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, around = span.attributes, context.inherited
        both = {**around, **own}
        texts = _texts(span)
        reason = _finish_reason(own, texts)
        status = _status(span, texts, reason)
        error_type = _error_type(span) if status is Status.ERROR else None
        started_at, duration_ms = _times(span)
        return Interaction(
            id=f"{_hex(span.trace_id, 32, 'trace id')}:{_hex(span.span_id, 16, 'span id')}",
            deployment=context.deployment,
            started_at=started_at,
            received_at=context.received_at,
            duration_ms=duration_ms,
            source="otlp",
            convention=self.name,
            conversation_id=read.text(both, "gen_ai.conversation.id", "session.id"),
            user_id=read.text(both, "user.id", "enduser.id"),
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_span_id=span.parent_span_id,
            response_id=read.text(own, "gen_ai.response.id"),
            provider=read.text(own, "gen_ai.provider.name", "gen_ai.system"),
            request_model=read.text(own, "gen_ai.request.model"),
            response_model=read.text(own, "gen_ai.response.model"),
            system_fingerprint=read.text(
                own, "openai.response.system_fingerprint", "gen_ai.openai.response.system_fingerprint"
            ),
            prompt_id=read.text(both, "driftd.prompt.id", "gen_ai.prompt.name"),
            prompt_version=read.text(both, "driftd.prompt.version", "gen_ai.prompt.version"),
            system_prompt=texts.system_prompt,
            input_messages=texts.inputs,
            output_messages=texts.outputs,
            finish_reason=finish_reason(reason),
            finish_reason_raw=reason,
            status=status,
            error_class=error_class(error_type),
            error_type=error_type,
            input_tokens=read.count(own, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
            output_tokens=read.count(own, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
            temperature=read.number(own, "gen_ai.request.temperature"),
            top_p=read.number(own, "gen_ai.request.top_p"),
            max_tokens=read.count(own, "gen_ai.request.max_tokens"),
            seed=read.whole(own, "gen_ai.request.seed", "gen_ai.openai.request.seed"),
            content_state=content_state(texts, status),
            attributes=attributes_worth_keeping(span, context),
        )

    def claims_log(self, record: OtlpLog) -> bool:
        return record.event_name in genai_texts.EVENT_NAMES

    def read_texts(self, record: OtlpLog) -> Texts:
        _hex(record.trace_id, 32, f"trace id of the event {record.event_name}")
        _hex(record.span_id, 16, f"span id of the event {record.event_name}")
        return genai_texts.texts_of_event(record.event_name, record.attributes, record.body)


def _texts(span: OtlpSpan) -> Texts:
    """Attributes win over events: an instrumentation that writes both says the same twice."""
    of_attributes = genai_texts.texts_of_attributes(span.attributes)
    if of_attributes.found:
        return of_attributes
    events = sorted((e for e in span.events if e.name in genai_texts.EVENT_NAMES), key=lambda e: e.time_ns)
    return merged(genai_texts.texts_of_event(e.name, e.attributes, None) for e in events)


def _finish_reason(own: Mapping[str, Any], texts: Texts) -> str | None:
    """Of the first choice; the attribute is a list, a string, or a list in a string."""
    found = own.get("gen_ai.response.finish_reasons", own.get("gen_ai.response.finish_reason"))
    if isinstance(found, str) and found.startswith("["):
        found = list(read_list(found, "gen_ai.response.finish_reasons").items)
    return next(iter(read.texts(found)), texts.finish_reason)


def _status(span: OtlpSpan, texts: Texts, finish_reason: str | None) -> Status:
    """Broken streams are mostly reported as success: output, or a stream, without a real end is incomplete."""
    if span.failed or read.text(span.attributes, "error.type"):
        return Status.ERROR
    if finish_reason == "error":
        return Status.INCOMPLETE
    streamed = read.flag(span.attributes, "gen_ai.request.stream")
    return Status.INCOMPLETE if finish_reason is None and (texts.outputs or streamed) else Status.OK


def _error_type(span: OtlpSpan) -> str:
    """`_OTHER` is what the conventions call an error without a class."""
    raised = (read.text(e.attributes, "exception.type") for e in span.events if e.name == "exception")
    return read.text(span.attributes, "error.type") or next((name for name in raised if name), "_OTHER")


def _times(span: OtlpSpan) -> tuple[datetime, float | None]:
    if span.start_ns <= 0:
        raise MalformedRecord("the span has no start time")
    try:
        started_at = EPOCH + timedelta(microseconds=span.start_ns // 1000)
    except OverflowError:
        raise MalformedRecord("the span's start time is out of range") from None
    known = span.end_ns >= span.start_ns
    return started_at, (span.end_ns - span.start_ns) / 1e6 if known else None


def _hex(found: str, digits: int, what: str) -> str:
    if len(found) != digits or not HEX.fullmatch(found) or not found.strip("0"):
        raise MalformedRecord(f"the {what} is not {digits} hexadecimal digits other than all zero")
    return found
