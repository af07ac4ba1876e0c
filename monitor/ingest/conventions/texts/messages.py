"""Read chat messages in the shapes of all instrumentations and products: `parts`, `content`, `tool_calls`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions.content_blocks import typed

SYSTEM_ROLES = frozenset(["system", "developer"])
CALL_TYPES = ("tool_call", "tool_use", "function_call")
RESULT_TYPES = ("tool_call_response", "tool_result", "function_call_output")
_PLAIN = frozenset(["role", "parts", "content", "finish_reason"])
_TEXT = frozenset(["type", "content"])
TEXT_TYPES = ("text", "input_text", "output_text", "refusal")
PART_KEYS = ("type", "content", "text", "refusal")
TOO_DEEP = "<nested too deep>"


def read_message(raw: Any, role: str) -> list[ChatMessage]:
    """Return one message as one or more chat messages. Each tool result becomes a message of role `tool`.

    `role` is used when the message names none. Images, files and reasoning are left out. Nothing is malformed: any
    other value is message text, and a tool call without a name has an empty name.
    """
    if (plain := plain_message(raw)) is not None:
        return [plain]
    if raw is None:
        return []
    if not isinstance(raw, Mapping):
        return [ChatMessage(role=role, content=as_text(raw))]
    found = raw.get("role")
    parts = _parts(raw)
    results = [_tool_result(part) for part in parts if _is_one_of(part, RESULT_TYPES)]
    calls = [_call(part) for part in parts if _is_one_of(part, CALL_TYPES)] + _calls(raw)
    texts = [text for part in parts for text in _text(part)]
    if not texts and not calls and (results or not parts):
        return results  # an instrumentation that must not send texts leaves an empty message
    message = ChatMessage(
        role=found if isinstance(found, str) and found else role,
        content="\n".join(texts),
        tool_calls=unique_calls(calls),
        tool_call_id=_id(raw, "tool_call_id"),
    )
    return [*results, message]


def plain_message(raw: Any) -> ChatMessage | None:
    """Return a message that has only a role and one text, as most do; None for any other. A fast path."""
    if type(raw) is not dict or not raw.keys() <= _PLAIN:
        return None
    role, parts = raw.get("role"), raw.get("parts")
    if parts is None:
        text = raw.get("content")
    else:
        part = parts[0] if type(parts) is list and len(parts) == 1 else None
        text = part["content"] if type(part) is dict and part.keys() == _TEXT and part["type"] == "text" else None
    return ChatMessage(role=role, content=text) if type(text) is str and type(role) is str and role else None


def _parts(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = raw.get("parts") if raw.get("parts") is not None else raw.get("content")
    if found is None:
        return []
    if isinstance(found, Mapping) and found.keys().isdisjoint(PART_KEYS):
        found = as_text(found)
    return [_part(part) for part in (found if isinstance(found, list) else [found]) if part is not None]


def _part(part: Any) -> Mapping[str, Any]:
    """Return a message part; any other value becomes a text part."""
    return typed(part) if isinstance(part, Mapping) else {"type": "text", "content": as_text(part)}


def _is_one_of(part: Mapping[str, Any], types: tuple[str, ...]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and kind in types


def _text(part: Mapping[str, Any]) -> list[str]:
    kind = part.get("type")
    if isinstance(kind, str) and kind not in TEXT_TYPES:
        return []
    found = next((part[key] for key in ("content", "text", "refusal") if part.get(key) is not None), None)
    return [] if found is None else [as_text(found)]


def _calls(raw: Mapping[str, Any]) -> list[ToolCall]:
    found = raw.get("tool_calls")
    if found is None:
        return []
    return [_call(call) for call in (found if isinstance(found, list) else [found]) if call is not None]


def _call(raw: Any) -> ToolCall:
    if not isinstance(raw, Mapping):
        return ToolCall(id=None, name="", arguments=as_text(raw))
    inner = raw["function"] if isinstance(raw.get("function"), Mapping) else raw
    name = inner.get("name")
    arguments = next((inner[key] for key in ("arguments", "input") if inner.get(key) is not None), "")
    # An item of the Responses API has both ids. Its result refers to `call_id`.
    return ToolCall(
        id=_id(raw, "call_id", "id"), name=name if isinstance(name, str) else "", arguments=as_text(arguments)
    )


def unique_calls(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls without repeated ids: some senders write a call both as a part and in a list."""
    ids: set[str] = set()
    kept = []
    for call in calls:
        if call.id is None or call.id not in ids:
            kept.append(call)
        if call.id is not None:
            ids.add(call.id)
    return tuple(kept)


def _tool_result(part: Mapping[str, Any]) -> ChatMessage:
    found = next((part[key] for key in ("response", "result", "content", "output") if part.get(key) is not None), "")
    call_id = _id(part, "id", "tool_call_id", "tool_use_id", "call_id")
    return ChatMessage(role="tool", content=_result_text(found), tool_call_id=call_id)


def _result_text(found: Any) -> str:
    """Return the texts of a tool result, or the JSON of any other result."""
    if isinstance(found, list) and found and all(isinstance(part, Mapping) and _text(part) for part in found):
        return "\n".join(text for part in found for text in _text(part))
    return as_text(found)


def as_text(value: Any) -> str:
    """Return a string unchanged and any other value as JSON; TOO_DEEP when it is nested too deep."""
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return TOO_DEEP


def _id(raw: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of `names` that is a non-empty text or a number."""
    for name in names:
        found = raw.get(name)
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        if isinstance(found, str) and found:
            return found
    return None
