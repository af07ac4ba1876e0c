"""Convert LangChain's messages to common chat messages: roles by name, and tool calls with `arguments`."""

from collections.abc import Mapping
from typing import Any

ROLES = {
    "human": "user",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessage": "system",
    "tool": "tool",
    "ToolMessage": "tool",
    "function": "tool",
}


def plain_message(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the role, content, tool calls and call id of a message that LangChain serialized; others are unchanged.

    >>> plain_message({"type": "human", "content": "refund?"})
    {'role': 'user', 'content': 'refund?'}
    """
    if "role" in raw:
        return _with_arguments(raw)
    inner = raw["kwargs"] if isinstance(raw.get("kwargs"), dict) else raw.get("data")
    if isinstance(inner, dict):  # {"lc": 1, "id": [..., "HumanMessage"], "kwargs": {...}}, or {"type", "data"}
        path = raw.get("id")
        name = path[-1] if isinstance(path, list) and path else raw.get("type")
        return _plain(inner, ROLES.get(str(name)))
    kind = raw.get("type")
    return _plain(raw, ROLES[kind]) if isinstance(kind, str) and kind in ROLES else raw


def _plain(message: Mapping[str, Any], role: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"role": role or ROLES.get(str(message.get("type"))), "content": message.get("content")}
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        found["tool_calls"] = [_call(call) for call in calls]
    if message.get("tool_call_id"):
        found["tool_call_id"] = message["tool_call_id"]
    return found


def _with_arguments(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a common message whose tool calls have LangChain's `args` with `arguments` instead."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not any(isinstance(call, dict) and "args" in call for call in calls):
        return message
    return {**message, "tool_calls": [_call(call) for call in calls]}


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or "args" not in call:
        return call
    return {"id": call.get("id"), "name": call.get("name"), "arguments": call["args"]}
