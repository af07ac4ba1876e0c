"""Decode native interactions: from the bytes of a record in one step, or from a JSON object with odd values."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from monitor.domain.interaction import ChatMessage, CostSource, Document, Interaction, Status, UsageSource
from monitor.ingest.conventions.error_classes import error_class
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.texts.call_texts import Texts, content_state
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, plain_message, read_message
from monitor.ingest.conventions.unread import UNREAD, UnreadNotes, with_unread
from monitor.ingest.json_text import has_too_many_containers
from monitor.ingest.limits import Limits, check_attribute_count, value_fits
from monitor.ingest.native.convert import UNNAMED, to_record
from monitor.ingest.native.fields import SPAN_ID, TRACE_ID, hex_id, needed_time
from monitor.ingest.native.schema import Error, Prompt, Record, Request, Response, Usage

PLAIN_DEPTH: Final = 4  # of messages whose one part is a text
_DECODER: Final = msgspec.json.Decoder(Record)
_NO_REQUEST, _NO_RESPONSE, _NO_USAGE, _NO_PROMPT = Request(), Response(), Usage(), Prompt()


def decode_bytes(value: bytes, limits: Limits) -> Record | None:
    """Decode a record without odd values in one step; None for any other value and for one that may be truncated.

    `to_record` gives an equal record from the parsed JSON, or reports the error. It takes three times as long.
    """
    # No text in the value has more characters than the value has bytes.
    if has_too_many_containers(value) or len(value) > limits.value_chars or limits.depth < PLAIN_DEPTH:
        return None
    try:
        return _DECODER.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def read_interaction(
    raw: Mapping[str, Any], *, derived_id: str, now: datetime, default_deployment: str, source: str
) -> Interaction:
    """Return the interaction of a JSON object. Raise MalformedRecord, which names the field."""
    with UnreadNotes() as notes:
        call = interaction_of(to_record(raw), derived_id, now, default_deployment, source)
    return replace(call, attributes=with_unread(call.attributes, notes)) if notes else call


def interaction_of(  # noqa: PLR0917 - the fields that the record does not have
    record: Record, derived_id: str, now: datetime, default_deployment: str, source: str, limits: Limits | None = None
) -> Interaction:
    """Return the interaction of a decoded record. Raise MalformedRecord for a wrong id or start time.

    With `limits`, the depth and the number of the values are checked, too.
    """
    if limits is not None:
        _check(record, limits)
    request, response = record.request or _NO_REQUEST, record.response or _NO_RESPONSE
    usage, prompt = record.usage or _NO_USAGE, record.prompt or _NO_PROMPT
    error = (record.error.type if isinstance(record.error, Error) else record.error) or None
    if error is None and isinstance(record.error, Error):
        error = UNNAMED
    texts = _texts(request, response, limits)
    status = Status.ERROR if error else Status.OK
    conversation_id, user_id = record.conversation_id or None, record.user_id or None
    cost_usd, ended = record.cost_usd, response.finish_reason or None
    return Interaction(
        id=record.id or derived_id,
        deployment=record.deployment or default_deployment,
        started_at=needed_time(record.started_at, "started_at"),
        received_at=now,
        duration_ms=record.duration_ms,
        source=source,
        convention="native",
        conversation_id=conversation_id,
        conversation_source=conversation_id and "conversation_id",
        user_id=user_id,
        user_source=user_id and "user_id",
        trace_id=hex_id(record.trace_id, "trace_id", TRACE_ID),
        span_id=hex_id(record.span_id, "span_id", SPAN_ID),
        response_id=response.id or None,
        provider=record.provider or None,
        request_model=request.model or None,
        response_model=response.model or None,
        system_fingerprint=response.system_fingerprint or None,
        prompt_id=prompt.id or None,
        prompt_version=prompt.version or None,
        system_prompt=texts.system_prompt,
        input_messages=texts.inputs,
        output_messages=texts.outputs,
        documents=_documents(record),
        finish_reason=finish_reason(ended),
        finish_reason_raw=ended,
        status=status,
        error_class=error_class(error),
        error_type=error,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        usage_source=UsageSource.ABSENT if usage == _NO_USAGE else UsageSource.EMITTED,
        cost_usd=cost_usd,
        cost_source=None if cost_usd is None else CostSource.EMITTED,
        ttft_ms=response.time_to_first_token_ms,
        temperature=request.temperature,
        top_p=request.top_p,
        max_tokens=request.max_tokens,
        seed=request.seed,
        content_state=content_state(texts, status),
        attributes=_attributes(record),
    )


def _check(record: Record, limits: Limits) -> None:
    """Raise MalformedRecord for too many attributes, or for a value outside the messages that is nested too deep."""
    if record.attributes:
        check_attribute_count(len(record.attributes), limits)
        for value in record.attributes.values():
            if type(value) is dict or type(value) is list:
                value_fits(value, limits)
    if isinstance(record.error, Error):
        value_fits(record.error.message, limits)


def _texts(request: Request, response: Response, limits: Limits | None) -> Texts:
    request_messages = _messages(request.messages, "user", limits)
    system = tuple([m.content for m in request_messages if m.role in SYSTEM_ROLES])
    inputs = tuple([m for m in request_messages if m.role not in SYSTEM_ROLES]) if system else tuple(request_messages)
    return Texts(system, inputs, tuple(_messages(response.messages, "assistant", limits)))


def _messages(found: list[Any] | None, role: str, limits: Limits | None) -> list[ChatMessage]:
    read: list[ChatMessage] = []
    for raw in found or ():
        if (plain := plain_message(raw)) is not None and len(raw) == len(("role", "content")):
            read.append(plain)
        else:
            if limits is not None:
                value_fits(raw, limits, 1)
            read += read_message(raw, role)
    return read


def _documents(record: Record) -> tuple[Document, ...]:
    found = record.documents or ()
    return tuple([Document(id=one.id or None, content=one.content or "", score=one.score) for one in found])


def _attributes(record: Record) -> dict[str, Any]:
    """Return the attributes without the one that only driftd sets."""
    found = record.attributes or {}
    return {name: value for name, value in found.items() if name != UNREAD} if UNREAD in found else found
