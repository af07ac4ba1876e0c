"""Decode `{"type": "interaction", …}` to an Interaction."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from monitor.domain.interaction import ChatMessage, CostSource, Document, Interaction, Status, UsageSource
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.error_classes import error_class
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.texts.call_texts import Texts, content_state
from monitor.ingest.conventions.texts.message_list import read_messages
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, read_message
from monitor.ingest.conventions.unread import UnreadNotes, with_unread
from monitor.ingest.native.fields import Fields
from monitor.ingest.native.optional import OptionalFields

FIELDS = (
    "type", "id", "deployment", "started_at", "duration_ms", "conversation_id", "user_id", "trace_id", "span_id",
    "provider", "request", "response", "usage", "cost_usd", "documents", "prompt", "error", "attributes",
)  # fmt: skip
REQUEST = ("model", "messages", "temperature", "top_p", "max_tokens", "seed")
RESPONSE = ("model", "id", "system_fingerprint", "messages", "finish_reason", "time_to_first_token_ms")
USAGE = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens")
DOCUMENT = ("id", "content", "score")
TRACE_ID = re.compile(r"[0-9a-f]{32}")
SPAN_ID = re.compile(r"[0-9a-f]{16}")
UNNAMED = "_OTHER"  # the name of an error without a class in OpenTelemetry's conventions


def read_interaction(
    raw: Mapping[str, Any], *, derived_id: str, now: datetime, default_deployment: str, source: str
) -> Interaction:
    """Return the interaction. The ids and the start time must be valid; MalformedRecord names the field."""
    with UnreadNotes() as noted:
        call = _call(raw, derived_id=derived_id, now=now, default_deployment=default_deployment, source=source)
    return replace(call, attributes=with_unread(call.attributes, noted)) if noted else call


def _call(
    raw: Mapping[str, Any], *, derived_id: str, now: datetime, default_deployment: str, source: str
) -> Interaction:
    ids = Fields(raw, known=FIELDS)
    record = OptionalFields(raw, known=FIELDS)
    request = record.part("request", known=REQUEST)
    response = record.part("response", known=RESPONSE)
    usage = record.part("usage", known=USAGE)
    prompt = record.part("prompt", known=("id", "version"))
    texts = _texts(request, response)
    error_type = _error_type(record)
    status = Status.OK if error_type is None else Status.ERROR
    ended = response.text("finish_reason")
    tokens = {name: usage.whole(name, least=0) for name in USAGE}
    cost_usd = record.number("cost_usd", least=0.0)
    conversation_id, user_id = record.text("conversation_id"), record.text("user_id")
    return Interaction(
        id=ids.text("id") or derived_id,
        deployment=record.text("deployment") or default_deployment,
        started_at=ids.time("started_at"),
        received_at=now,
        duration_ms=record.number("duration_ms", least=0.0),
        source=source,
        convention="native",
        conversation_id=conversation_id,
        conversation_source=conversation_id and "conversation_id",
        user_id=user_id,
        user_source=user_id and "user_id",
        trace_id=hex_id(ids, "trace_id", TRACE_ID),
        span_id=hex_id(ids, "span_id", SPAN_ID),
        response_id=response.text("id"),
        provider=record.text("provider"),
        request_model=request.text("model"),
        response_model=response.text("model"),
        system_fingerprint=response.text("system_fingerprint"),
        prompt_id=prompt.text("id"),
        prompt_version=prompt.text("version"),
        system_prompt=texts.system_prompt,
        input_messages=texts.inputs,
        output_messages=texts.outputs,
        documents=_documents(record),
        finish_reason=finish_reason(ended),
        finish_reason_raw=ended,
        status=status,
        error_class=error_class(error_type),
        error_type=error_type,
        input_tokens=tokens["input_tokens"],
        output_tokens=tokens["output_tokens"],
        cached_input_tokens=tokens["cached_input_tokens"],
        reasoning_tokens=tokens["reasoning_tokens"],
        usage_source=UsageSource.ABSENT if set(tokens.values()) == {None} else UsageSource.EMITTED,
        cost_usd=cost_usd,
        cost_source=None if cost_usd is None else CostSource.EMITTED,
        ttft_ms=response.number("time_to_first_token_ms", least=0.0),
        temperature=request.number("temperature"),
        top_p=request.number("top_p"),
        max_tokens=request.whole("max_tokens", least=0),
        seed=request.whole("seed"),
        content_state=content_state(texts, status),
        attributes=record.mapping("attributes"),
    )


def hex_id(record: Fields, key: str, pattern: re.Pattern[str]) -> str | None:
    """Return a trace or span id in lower case, as OTLP has it, so that links match."""
    found = record.text(key)
    if found is None:
        return None
    if not pattern.fullmatch(found.lower()):
        raise MalformedRecord(f"field {key!r} is not a W3C id in hexadecimal digits")
    return found.lower()


def _texts(request: OptionalFields, response: OptionalFields) -> Texts:
    asked = _messages(request, "user")
    return Texts(
        system=tuple(m.content for m in asked if m.role in SYSTEM_ROLES),
        inputs=tuple(m for m in asked if m.role not in SYSTEM_ROLES),
        outputs=tuple(_messages(response, "assistant")),
    )


def _documents(record: OptionalFields) -> tuple[Document, ...]:
    return tuple(_document(raw) for raw in record.items("documents") if raw is not None)


def _document(raw: Any) -> Document:
    """Return a document. A value that is not an object is its text."""
    if not isinstance(raw, Mapping):
        return Document(content=as_text(raw))
    found = OptionalFields(raw, "documents", known=DOCUMENT)
    return Document(id=found.text("id"), content=found.text("content") or "", score=found.number("score"))


def _messages(fields: OptionalFields, role: str) -> list[ChatMessage]:
    """Return the messages. A value that is not a list counts as a list of one."""
    read = read_messages(fields.raw("messages"), fields.name("messages"))
    return [message for raw in read.items for message in read_message(raw, role)]


def _error_type(record: OptionalFields) -> str | None:
    """Return the class of the error: a string, or the `type` of an object. Other values except null and false have no
    class.
    """
    found = record.raw("error")
    if found is None or found is False or found == "":
        return None
    if isinstance(found, Mapping):
        return record.part("error", known=("type", "message")).text("type") or UNNAMED
    return record.text("error") or UNNAMED
