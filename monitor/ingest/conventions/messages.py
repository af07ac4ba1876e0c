"""Chat messages in the shapes instrumentations and products send them: `parts`, `content`, `tool_calls`."""

import json
from collections.abc import Mapping
from typing import Any, Final

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.domain.maker import maker
from monitor.errors import MalformedRecord

SYSTEM_ROLES = frozenset(["system", "developer"])
CALL_TYPES = ("tool_call", "tool_use", "function_call")
RESULT_TYPES = ("tool_call_response", "tool_result", "function_call_output")
_PLAIN = frozenset(["role", "parts", "content", "finish_reason"])
_TEXT = frozenset(["type", "content"])
_chat_message: Final = maker(ChatMessage)
SILENT_TYPES = ("reasoning", "thinking")  # what the model thought is not what it said


def read_message(raw: Any, where: str, role: str) -> list[ChatMessage]:
    """One message as one or more of ours: every tool result becomes a message of role `tool`.

    `role` stands in when the message names none. Images, files and reasoning are no text and are left out.
    """
    if (plain := plain_message(raw)) is not None:
        return [plain]
    if not isinstance(raw, Mapping):
        raise MalformedRecord(f"{where} is no object with a role")
    found = raw.get("role")
    if found is not None and not isinstance(found, str):
        raise MalformedRecord(f"{where}.role is no string")
    parts = _parts(raw, where)
    results = [_tool_result(part, where) for part in parts if part.get("type") in RESULT_TYPES]
    calls = [_call(part, where) for part in parts if part.get("type") in CALL_TYPES] + _calls(raw, where)
    texts = [text for part in parts for text in _text(part, where)]
    if not texts and not calls and (results or not parts):
        return results  # a message without anything is what is left when an instrumentation may not send texts
    message = ChatMessage(
        role=found or role,
        content="\n".join(texts),
        tool_calls=tuple(calls),
        tool_call_id=_optional_text(raw, "tool_call_id", where),
    )
    return [*results, message]


def plain_message(raw: Any) -> ChatMessage | None:
    """A message of a role and one text, as nearly all are; None for any other. It says the same, sooner."""
    if type(raw) is not dict or not raw.keys() <= _PLAIN:
        return None
    role, parts = raw.get("role"), raw.get("parts")
    if parts is None:
        text = raw.get("content")
    else:
        part = parts[0] if type(parts) is list and len(parts) == 1 else None
        text = part["content"] if type(part) is dict and part.keys() == _TEXT and part["type"] == "text" else None
    return _chat_message(role=role, content=text) if type(text) is str and type(role) is str and role else None


def _parts(raw: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
    key = "parts" if raw.get("parts") is not None else "content"
    found = raw.get(key)
    if found is None:
        return []
    if isinstance(found, str):
        return [{"type": "text", "content": found}]
    if not isinstance(found, list):
        raise MalformedRecord(f"{where}.{key} is neither a text nor a list of parts")
    return [_part(part, f"{where}.{key}[{i}]") for i, part in enumerate(found)]


def _part(part: Any, where: str) -> Mapping[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "content": part}
    if isinstance(part, Mapping):
        return part
    raise MalformedRecord(f"{where} is neither a text nor an object")


def _text(part: Mapping[str, Any], where: str) -> list[str]:
    kind = part.get("type", "text")
    if kind not in ("text", "input_text", "output_text", "refusal"):
        return []
    found = next((part[key] for key in ("content", "text", "refusal") if part.get(key) is not None), None)
    if found is None:
        return []
    if not isinstance(found, str):
        raise MalformedRecord(f"{where}: the content of a text part is no string")
    return [found]


def _calls(raw: Mapping[str, Any], where: str) -> list[ToolCall]:
    found = raw.get("tool_calls")
    if found is None:
        return []
    if not isinstance(found, list):
        raise MalformedRecord(f"{where}.tool_calls is no list")
    return [_call(call, f"{where}.tool_calls[{i}]") for i, call in enumerate(found)]


def _call(raw: Any, where: str) -> ToolCall:
    if not isinstance(raw, Mapping):
        raise MalformedRecord(f"{where} is no tool call object")
    inner = raw["function"] if isinstance(raw.get("function"), Mapping) else raw
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise MalformedRecord(f"{where}: a tool call names no tool")
    arguments = next((inner[key] for key in ("arguments", "input") if inner.get(key) is not None), "")
    call_id = raw.get("call_id") or raw.get("id")  # an item of the Responses API has both: its result names the call
    return ToolCall(id=call_id if isinstance(call_id, str) else None, name=name, arguments=as_text(arguments))


def _tool_result(part: Mapping[str, Any], where: str) -> ChatMessage:
    found = next((part[key] for key in ("response", "result", "content", "output") if part.get(key) is not None), "")
    call_id = next((part[key] for key in ("id", "tool_call_id", "tool_use_id", "call_id") if part.get(key)), None)
    if call_id is not None and not isinstance(call_id, str):
        raise MalformedRecord(f"{where}: the id of a tool result is no string")
    return ChatMessage(role="tool", content=as_text(found), tool_call_id=call_id)


def as_text(value: Any) -> str:
    """The text itself, or JSON of any other value; MalformedRecord when it is nested too deep to be written."""
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        raise MalformedRecord("arguments or a result of a tool are nested too deep") from None


def _optional_text(raw: Mapping[str, Any], key: str, where: str) -> str | None:
    found = raw.get(key)
    if found is not None and not isinstance(found, str):
        raise MalformedRecord(f"{where}.{key} is no string")
    return found
