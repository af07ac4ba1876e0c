"""`{"type": "interaction", …}` to an Interaction."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from monitor.domain.interaction import ChatMessage, CostSource, Document, Interaction, Status, UsageSource
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.error_classes import error_class
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.messages import SYSTEM_ROLES, read_message
from monitor.ingest.conventions.texts import Texts, content_state
from monitor.ingest.native_fields import Fields

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


def read_interaction(
    raw: Mapping[str, Any], *, derived_id: str, now: datetime, default_deployment: str, source: str
) -> Interaction:
    record = Fields(raw, known=FIELDS)
    request = record.object("request", known=REQUEST)
    response = record.object("response", known=RESPONSE)
    usage = record.object("usage", known=USAGE)
    prompt = record.object("prompt", known=("id", "version"))
    texts = _texts(request, response)
    error_type = _error_type(record)
    status = Status.OK if error_type is None else Status.ERROR
    ended = response.text("finish_reason")
    tokens = {name: usage.whole(name, least=0) for name in USAGE}
    cost_usd = record.number("cost_usd", least=0.0)
    conversation_id, user_id = record.text("conversation_id"), record.text("user_id")
    return Interaction(
        id=record.text("id") or derived_id,
        deployment=record.text("deployment") or default_deployment,
        started_at=record.time("started_at"),
        received_at=now,
        duration_ms=record.number("duration_ms", least=0.0),
        source=source,
        convention="native",
        conversation_id=conversation_id,
        conversation_source=conversation_id and "conversation_id",
        user_id=user_id,
        user_source=user_id and "user_id",
        trace_id=hex_id(record, "trace_id", TRACE_ID),
        span_id=hex_id(record, "span_id", SPAN_ID),
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
    """Trace and span ids are stored in lower case, as OTLP gives them, so that links match."""
    found = record.text(key)
    if found is None:
        return None
    if not pattern.fullmatch(found.lower()):
        raise MalformedRecord(f"field {key!r} is not hexadecimal digits in the length of a W3C id")
    return found.lower()


def _texts(request: Fields, response: Fields) -> Texts:
    asked = _messages(request, "user")
    return Texts(
        system=tuple(m.content for m in asked if m.role in SYSTEM_ROLES),
        inputs=tuple(m for m in asked if m.role not in SYSTEM_ROLES),
        outputs=tuple(_messages(response, "assistant")),
    )


def _documents(record: Fields) -> tuple[Document, ...]:
    found = [Fields(raw, f"documents[{i}]", known=DOCUMENT) for i, raw in enumerate(record.items("documents"))]
    return tuple(Document(id=d.text("id"), content=d.text("content") or "", score=d.number("score")) for d in found)


def _messages(fields: Fields, role: str) -> list[ChatMessage]:
    where = fields.name("messages")
    return [m for i, raw in enumerate(fields.items("messages")) for m in read_message(raw, f"{where}[{i}]", role)]


def _error_type(record: Fields) -> str | None:
    """null, the error's class as a string, or an object with its `type`."""
    found = record.raw("error")
    if found is None or found == "":
        return None
    if isinstance(found, str):
        return found
    return record.object("error", known=("type", "message")).needed_text("type")
