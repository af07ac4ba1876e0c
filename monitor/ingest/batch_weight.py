"""How much memory the texts of decoded rows take, nearly: rows are counted too, but one may be as long as a body."""

from collections.abc import Iterable, Mapping
from typing import Any

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import ChatMessage, Document, Interaction, SpanContent, Surroundings

ROW_BYTES = 2048  # of the objects around the texts of one row


def bytes_of_call(item: Interaction) -> int:
    """Characters of its texts, which are bytes for most, and of its attributes."""
    texts = bytes_of_messages(item.input_messages) + bytes_of_messages(item.output_messages)
    return (
        ROW_BYTES
        + len(item.system_prompt or "")
        + texts
        + (bytes_of_documents(item.documents) if item.documents else 0)
        + _bytes_of_value(item.attributes)
    )


def bytes_of_content(item: SpanContent) -> int:
    texts = bytes_of_messages(item.input_messages) + bytes_of_messages(item.output_messages)
    return ROW_BYTES + len(item.system_prompt or "") + texts


def bytes_of_surroundings(item: Surroundings) -> int:
    return ROW_BYTES + bytes_of_documents(item.documents)


def bytes_of_feedback(item: Feedback) -> int:
    return ROW_BYTES + sum(len(text) for text in (item.text, item.comment, item.expected, item.record) if text)


def bytes_of_documents(documents: Iterable[Document]) -> int:
    return sum(len(document.content) for document in documents)


def bytes_of_messages(messages: Iterable[ChatMessage]) -> int:
    weight = 0
    for message in messages:
        weight += len(message.content)
        for call in message.tool_calls:
            weight += len(call.name) + len(call.arguments)
    return weight


def _bytes_of_value(value: Any) -> int:
    """Of a JSON value: its texts, and something for each place in it."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return 64 * len(value) + sum(map(len, value)) + sum(map(_bytes_of_value, value.values()))
    if isinstance(value, Mapping):
        return _bytes_of_value(dict(value))
    if isinstance(value, list | tuple):
        return 16 * len(value) + sum(map(_bytes_of_value, value))
    return 0
