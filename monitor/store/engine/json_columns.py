"""Values that are stored as JSON in a text column."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from monitor.domain.interaction import ChatMessage, Document, ToolCall


def to_json(value: Any) -> str:
    """Return compact JSON. A value without a JSON type (for example a date) becomes a text."""
    return _ENCODER.encode(value)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


# One shared encoder: json.dumps would create one for each of the three texts of each interaction.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


def attributes_to_json(attributes: Mapping[str, Any]) -> str:
    """Return the same as `to_json`, faster for the usual attributes: texts and whole numbers."""
    plain = _SCALARS.issuperset(map(type, attributes.values()))
    return _plain_to_json(attributes) if plain else to_json(attributes)


def _plain_to_json(value: Any) -> str:
    """Encode lists and dicts of JSON types. Unpaired surrogates need the slower encoder."""
    try:
        return _FAST.encode(value).decode()
    except UnicodeEncodeError:
        return to_json(value)


_FAST: Final = msgspec.json.Encoder()
_SCALARS: Final = frozenset([str, int, bool, type(None)])


def from_json(text: str) -> Any:
    return json.loads(text)


def messages_to_json(messages: Sequence[ChatMessage], *, elsewhere: int | None = None) -> str:
    """Encode messages. `elsewhere` is the index of the message whose content has its own column; the JSON omits it."""
    if not messages:
        return "[]"
    plain = [
        {"role": m.role, "content": m.content} if not m.tool_calls and m.tool_call_id is None else _message_dict(m)
        for m in messages
    ]
    if elsewhere is not None:
        del plain[elsewhere]["content"]
    return _plain_to_json(plain)


def messages_from_json(text: str, elsewhere: str = "") -> tuple[ChatMessage, ...]:
    """Decode messages. `elsewhere` is the content of the message that was stored without one."""
    return tuple(_message(item, elsewhere) for item in json.loads(text))


def documents_to_json(documents: Sequence[Document]) -> str:
    return _plain_to_json([{"id": d.id, "content": d.content, "score": d.score} for d in documents])


def documents_from_json(text: str) -> tuple[Document, ...]:
    return tuple(Document(**item) for item in json.loads(text))


def _message_dict(message: ChatMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    if message.tool_call_id is not None:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def _message(item: dict[str, Any], elsewhere: str) -> ChatMessage:
    calls = tuple(ToolCall(**call) for call in item.get("tool_calls", ()))
    content = item.get("content", elsewhere)
    return ChatMessage(role=item["role"], content=content, tool_calls=calls, tool_call_id=item.get("tool_call_id"))
