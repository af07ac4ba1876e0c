"""Encodes a message of a case as a JSON object and decodes it.

    {"role": "user", "content": "What does the sign say?"}
    {"role": "user", "content": [{"type": "text", "text": "What does the sign say?"},
                                 {"type": "image_url", "image_url": {"url": "https://example.com/sign.png"}}]}
    {"role": "assistant", "tool_calls": [{"id": "call-1", "name": "find_order", "arguments": {"order": 7}}]}
    {"role": "tool", "content": "shipped", "tool_call_id": "call-1"}

`arguments` may be an object or JSON text. A message with one text is written with a plain `content`.
"""

import json
from collections.abc import Mapping
from typing import Any, get_args

from replay.errors import CaseError
from replay.evalsets.fields import json_object, kind_of, list_of, named, object_of, text_of
from replay.types import Image, Message, Role, Text, ToolCall

ROLES: tuple[Role, ...] = get_args(Role)
FIELDS = ("role", "content", "tool_calls", "tool_call_id")
WEB = ("http://", "https://")


def message_to_json(message: Message) -> dict[str, Any]:
    """Return the object without absent fields."""
    written: dict[str, Any] = {
        "role": message.role,
        "content": [_part_to_json(part) for part in message.parts] or message.content,
    }
    if message.tool_calls:
        written["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    return written if message.tool_call_id is None else written | {"tool_call_id": message.tool_call_id}


def message_from_json(obj: Any, where: str) -> Message:
    record = object_of(obj, where, FIELDS)
    role = next((known for known in ROLES if known == record.get("role")), None)
    if role is None:
        raise CaseError(f"{where}: field 'role' must be one of {', '.join(ROLES)}")
    calls = tuple(_call(item, where) for item in list_of(record, "tool_calls", "tool calls", where))
    if calls and role != "assistant":
        raise CaseError(f"{where}: field 'tool_calls' belongs to an assistant's message")
    answers = record.get("tool_call_id")
    if answers is not None and role != "tool":
        raise CaseError(f"{where}: field 'tool_call_id' belongs to a tool's message")
    content, parts = _content(record.get("content", "" if calls else None), where)
    return Message(
        role=role,
        content=content,
        parts=parts,
        tool_calls=calls,
        tool_call_id=None if answers is None else named(answers, "tool_call_id", where),
    )


def _content(given: Any, where: str) -> tuple[str, tuple[Text | Image, ...]]:
    """Return the text of the message, and its parts if it is more than one text."""
    if not isinstance(given, list):
        return text_of(given, "content", where), ()
    parts = tuple(_part(item, f"{where}, part {number}") for number, item in enumerate(given, 1))
    texts = [part.text for part in parts if isinstance(part, Text)]
    return "\n".join(texts), () if len(texts) == len(parts) <= 1 else parts


def _part(obj: Any, where: str) -> Text | Image:
    if isinstance(obj, Mapping) and obj.get("type") == "text":
        return Text(text=text_of(object_of(obj, where, ("type", "text")).get("text"), "text", where))
    if isinstance(obj, Mapping) and obj.get("type") == "image_url":
        given = object_of(obj, where, ("type", "image_url")).get("image_url")
        url = object_of(given, where, ("url",)).get("url") if isinstance(given, Mapping) else given
        if not isinstance(url, str) or not url.startswith(WEB) or any(c.isspace() for c in url):
            raise CaseError(f"{where}: field 'image_url' must be a URL that begins with http:// or https://")
        return Image(url=text_of(url, "image_url", where))
    found = f"an object of type {str(obj.get('type'))[:20]!r}" if isinstance(obj, Mapping) else kind_of(obj)
    raise CaseError(f"{where}: expected an object of type text or image_url, found {found}")


def _part_to_json(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": part.url}}


def _call(obj: Any, where: str) -> ToolCall:
    record = object_of(obj, where, ("id", "name", "arguments"))
    given = record.get("arguments", {})
    arguments = text_of(given, "arguments", where) if isinstance(given, str) else _as_text(given, where)
    return ToolCall(
        id=named(record.get("id"), "id", where), name=named(record.get("name"), "name", where), arguments=arguments
    )


def _as_text(given: Any, where: str) -> str:
    return json.dumps(json_object(given, "arguments", where), ensure_ascii=False, sort_keys=True)
