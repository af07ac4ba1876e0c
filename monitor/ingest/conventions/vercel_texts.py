"""The texts of a call in the attributes of Vercel's AI SDK: messages in JSON; the answer as text, calls or object."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.json_list import ListRead, read_list
from monitor.ingest.conventions.texts.message_list import read_messages
from monitor.ingest.conventions.texts.messages import as_text, read_message
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.json_text import storable_text

MESSAGES = "ai.prompt.messages"
CALLS = "ai.response.toolCalls"
ANSWER = ("ai.response.text", "ai.response.object")
ARGUMENTS = ("input", "args")  # since version 5, and before
RESULT = ("output", "result")


def texts_of(attributes: Mapping[str, Any]) -> Texts:
    """Return the messages before the answer, and the answer."""
    prompt = read_messages(attributes.get(MESSAGES), MESSAGES)
    messages = [m for raw in prompt.items for m in _message(raw)]
    answer, calls = _answer(attributes)
    return Texts(
        system=tuple(m.content for m in messages if m.role == "system"),
        inputs=tuple(m for m in messages if m.role != "system"),
        outputs=answer,
        cut=prompt.cut or calls.cut,
        unread=prompt.unread or calls.unread,
        answer_cut=calls.cut,
    )


def _answer(attributes: Mapping[str, Any]) -> tuple[tuple[ChatMessage, ...], ListRead]:
    text = read.text(attributes, *ANSWER)
    calls = read_list(attributes.get(CALLS))
    if calls.unread:
        note_unread(CALLS, attributes[CALLS])
    if text is None and not calls.items:
        return (), calls
    found = tuple(map(_call, calls.items))
    return (ChatMessage(role="assistant", content=storable_text(text or ""), tool_calls=found),), calls


def _message(raw: Any) -> list[ChatMessage]:
    """Return the messages. Each tool result is a separate message; images, files and reasoning are left out."""
    content = raw.get("content") if isinstance(raw, dict) else None
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return read_message(raw, "user")
    role = named if isinstance(named := raw.get("role"), str) and named else "user"
    results = [_result(part) for part in content if part.get("type") == "tool-result"]
    calls = tuple(_call(part) for part in content if part.get("type") == "tool-call")
    texts = [part["text"] for part in content if part.get("type") == "text" and isinstance(part.get("text"), str)]
    if results and not texts and not calls:
        return results
    return [*results, ChatMessage(role=role, content="\n".join(texts), tool_calls=calls)]


def _call(raw: Any) -> ToolCall:
    """Return a tool call; without a tool name its name is empty."""
    if not isinstance(raw, dict):
        return ToolCall(id=None, name="", arguments=as_text(raw))
    name = raw.get("toolName")
    arguments = next((raw[key] for key in ARGUMENTS if raw.get(key) is not None), "")
    return ToolCall(id=_id(raw), name=name if isinstance(name, str) else "", arguments=as_text(arguments))


def _result(raw: Mapping[str, Any]) -> ChatMessage:
    """Return a tool result. Since version 5 the value is in an object with its type."""
    found = next((raw[key] for key in RESULT if raw.get(key) is not None), "")
    inner = found["value"] if isinstance(found, dict) and found.keys() == {"type", "value"} else found
    return ChatMessage(role="tool", content=as_text(inner), tool_call_id=_id(raw))


def _id(raw: Mapping[str, Any]) -> str | None:
    found = raw.get("toolCallId")
    return found if isinstance(found, str) else None
