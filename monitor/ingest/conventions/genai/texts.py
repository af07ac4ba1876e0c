"""Texts of the OpenTelemetry GenAI conventions: message attributes, and the events of both generations."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from msgspec.structs import replace

from monitor.domain.interaction import ChatMessage
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.content_blocks import blocks_of
from monitor.ingest.conventions.texts.call_texts import NOTHING, Texts
from monitor.ingest.conventions.texts.json_list import read_list
from monitor.ingest.conventions.texts.message_list import read_messages
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, read_message
from monitor.ingest.conventions.texts.plain_messages import Plain, plain_messages
from monitor.ingest.json_text import read_json, storable_text

INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
SYSTEM = "gen_ai.system_instructions"
CHOICE = "gen_ai.choice"
DETAILS = "gen_ai.client.inference.operation.details"
MESSAGE_ROLES = {  # event name: the role its message has
    "gen_ai.system.message": "system",
    "gen_ai.developer.message": "developer",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
MAX_CACHED_CHARS = 16_384  # of system instructions; 256 of them take a few megabytes
EVENT_NAMES = frozenset([CHOICE, DETAILS, *MESSAGE_ROLES])


def texts_of_attributes(attributes: Mapping[str, Any]) -> Texts:
    """Return the texts of the current attributes, each a JSON string or a structured value.

    System instructions that the messages repeat are read once.
    """
    system, inputs, outputs = attributes.get(SYSTEM), attributes.get(INPUT), attributes.get(OUTPUT)
    instructions = NOTHING if system is None else _instructions(system)
    if (both := _plain(inputs, outputs)) is not None:
        (plain_inputs, _), (plain_outputs, reasons) = both
        return Texts(instructions.system, plain_inputs, plain_outputs, reasons, instructions.cut, instructions.unread)
    request = NOTHING if inputs is None else _inputs(inputs)
    answer = NOTHING if outputs is None else _outputs(outputs)
    return Texts(
        instructions.system + tuple(text for text in request.system if text not in instructions.system),
        request.inputs,
        answer.outputs,
        answer.finish_reasons,
        instructions.cut or request.cut or answer.cut,
        instructions.unread or request.unread or answer.unread,
        answer_cut=answer.cut,
    )


def texts_of_event(name: str, attributes: Mapping[str, Any], body: Any) -> Texts:
    """Return the texts of one event, on a span or as a log record.

    An old event has its message in the body, or in attributes when it is on a span.
    """
    body = _structured(body)
    if name == DETAILS:
        return texts_of_attributes({**(body if isinstance(body, Mapping) else {}), **attributes})
    payload = _decoded(body) if isinstance(body, Mapping) and body else _with_blocks(_decoded(attributes))
    if name == CHOICE:
        return _choice(payload)
    role = MESSAGE_ROLES[name]
    message = {key: value for key, value in payload.items() if key in ("role", "content", "parts", "tool_calls")}
    if role == "tool":
        message["tool_call_id"] = payload.get("id")
    return _as_inputs(read_message(message, role))


def _structured(body: Any) -> Any:
    """Return the body; a body in JSON text is decoded, because some loggers write only text."""
    if isinstance(body, str) and body[:1] == "{":
        with suppress(MalformedRecord):
            return read_json(body, "body")
    return body


def _choice(payload: Mapping[str, Any]) -> Texts:
    inner = payload.get("message")
    raw = {"content": inner} if isinstance(inner, str | list) else inner if isinstance(inner, Mapping) else payload
    kept = {key: raw[key] for key in ("role", "content", "parts", "tool_calls") if key in raw}
    return Texts(outputs=tuple(read_message(kept, "assistant")), finish_reasons=_reasons([payload]))


def _decoded(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Decode `message`, `tool_calls` and `parts`: attributes of a span have them as JSON strings."""
    found = dict(payload)
    for key in ("message", "tool_calls", "parts"):
        value = found.get(key)
        if isinstance(value, str) and value[:1] in ("{", "["):
            try:
                found[key] = read_json(value, key)
            except MalformedRecord:
                continue  # plain text, or truncated JSON: the value itself is the message
    return found


def _with_blocks(payload: dict[str, Any]) -> dict[str, Any]:
    """Decode the content blocks of an event on a span. In a body, text that looks like blocks is text."""
    content = payload.get("content")
    blocks = blocks_of(content) if isinstance(content, str) else None
    return payload if blocks is None else {**payload, "content": blocks}


def _instructions(value: Any) -> Texts:
    """Return system instructions, as parts or plain text. They are cached, because most calls share a few of them."""
    return _cached_system(value) if isinstance(value, str) and len(value) <= MAX_CACHED_CHARS else _read_system(value)


def _read_system(value: Any) -> Texts:
    if isinstance(value, str) and value and value[:1] != "[":
        return Texts(system=(storable_text(value),))
    read = read_list(value)
    message = read_message({"parts": list(read.items)}, "system") if read.items else []
    return Texts(system=tuple(m.content for m in message if m.content), cut=read.cut, unread=read.unread)


_cached_system: Final = lru_cache(256)(_read_system)


def _plain(inputs: Any, outputs: Any) -> tuple[Plain, Plain] | None:
    """Return the messages when all of them are plain, as in nearly all calls; otherwise None."""
    plain_inputs = plain_messages(inputs)
    if plain_inputs is None or not SYSTEM_ROLES.isdisjoint([message.role for message in plain_inputs[0]]):
        return None
    plain_outputs = plain_messages(outputs)
    return None if plain_outputs is None else (plain_inputs, plain_outputs)


def _inputs(value: Any) -> Texts:
    if (plain := plain_messages(value)) is not None:
        return _as_inputs(plain[0])
    read = read_messages(value, INPUT)
    messages = _as_inputs([m for raw in read.items for m in read_message(raw, "user")])
    return messages._replace(cut=read.cut, unread=read.unread) if read.cut or read.unread else messages


def _outputs(value: Any) -> Texts:
    if (plain := plain_messages(value)) is not None:
        return Texts(outputs=plain[0], finish_reasons=plain[1])
    read = read_messages(value, OUTPUT)
    return Texts(
        outputs=tuple(_joined(read.items)),
        finish_reasons=_reasons(read.items),
        cut=read.cut,
        unread=read.unread,
    )


def _joined(items: Sequence[Any]) -> list[ChatMessage]:
    """Return the messages of an answer.

    A message with an empty finish reason is a chunk of a stream, which the next message continues.
    """
    found: list[ChatMessage] = []
    continues = False
    for raw in items:
        messages = read_message(raw, "assistant")
        if continues and found and messages and messages[0].role == found[-1].role:
            last, first = found[-1], messages[0]
            calls = (*last.tool_calls, *first.tool_calls)
            found[-1] = replace(last, content=last.content + first.content, tool_calls=calls)
            messages = messages[1:]
        found += messages
        continues = isinstance(raw, Mapping) and raw.get("finish_reason") == ""
    return found


def _reasons(items: Iterable[Any]) -> tuple[str, ...]:
    reasons = [item.get("finish_reason") for item in items if isinstance(item, Mapping)]
    return tuple(reason for reason in reasons if isinstance(reason, str) and reason)


def _as_inputs(messages: Sequence[ChatMessage]) -> Texts:
    if SYSTEM_ROLES.isdisjoint([m.role for m in messages]):
        return Texts(inputs=tuple(messages))
    return Texts(
        system=tuple(m.content for m in messages if m.role in SYSTEM_ROLES),
        inputs=tuple(m for m in messages if m.role not in SYSTEM_ROLES),
    )
