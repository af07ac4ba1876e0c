"""The texts of a call in the attributes of Vercel's AI SDK: messages in JSON, the answer as text, calls or object."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.messages import as_text
from monitor.ingest.conventions.texts import Texts
from monitor.ingest.json_list import ListRead, read_list
from monitor.ingest.json_text import storable_text

MESSAGES = "ai.prompt.messages"
CALLS = "ai.response.toolCalls"
ANSWER = ("ai.response.text", "ai.response.object")
ARGUMENTS = ("input", "args")  # since version 5, and before
RESULT = ("output", "result")


def texts_of(attributes: Mapping[str, Any]) -> Texts:
    """The messages before the answer, and the answer."""
    told = read_list(attributes.get(MESSAGES), MESSAGES)
    messages = [m for i, raw in enumerate(told.items) for m in _message(raw, f"{MESSAGES}[{i}]")]
    answer, calls = _answer(attributes)
    return Texts(
        system=tuple(m.content for m in messages if m.role == "system"),
        inputs=tuple(m for m in messages if m.role != "system"),
        outputs=answer,
        cut=told.cut or calls.cut,
        unread=told.unread or calls.unread,
    )


def _answer(attributes: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], ListRead]:
    text = read.text(attributes, *ANSWER)
    calls = read_list(attributes.get(CALLS), CALLS)
    if text is None and not calls.items:
        return (), calls
    found = tuple(_call(raw, f"{CALLS}[{i}]") for i, raw in enumerate(calls.items))
    return (ChatMessage(role="assistant", content=storable_text(text or ""), tool_calls=found),), calls


def _message(raw: Any, where: str) -> list[ChatMessage]:
    """Every result of a tool is a message of its own; images, files and reasoning are left out."""
    if not isinstance(raw, dict) or not isinstance(role := raw.get("role"), str):
        raise MalformedRecord(f"{where} is no object with a role")
    content = raw.get("content")
    if isinstance(content, str):
        return [ChatMessage(role=role, content=content)]
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise MalformedRecord(f"{where}.content is neither a text nor a list of parts")
    results = [_result(part) for part in content if part.get("type") == "tool-result"]
    calls = tuple(_call(part, where) for part in content if part.get("type") == "tool-call")
    texts = [part["text"] for part in content if part.get("type") == "text" and isinstance(part.get("text"), str)]
    if results and not texts and not calls:
        return results
    return [*results, ChatMessage(role=role, content="\n".join(texts), tool_calls=calls)]


def _call(raw: Any, where: str) -> ToolCall:
    name = raw.get("toolName") if isinstance(raw, dict) else None
    if not isinstance(name, str) or not name:
        raise MalformedRecord(f"{where}: a tool call names no tool")
    arguments = next((raw[key] for key in ARGUMENTS if raw.get(key) is not None), "")
    return ToolCall(id=_id(raw), name=name, arguments=as_text(arguments))


def _result(raw: Mapping[str, Any]) -> ChatMessage:
    """Since version 5 the value stands in an object that says what kind it is."""
    found = next((raw[key] for key in RESULT if raw.get(key) is not None), "")
    inner = found["value"] if isinstance(found, dict) and found.keys() == {"type", "value"} else found
    return ChatMessage(role="tool", content=as_text(inner), tool_call_id=_id(raw))


def _id(raw: Mapping[str, Any]) -> str | None:
    found = raw.get("toolCallId")
    return found if isinstance(found, str) else None
