"""Estimate the memory that the texts of decoded rows take.

The intake counts rows as well, but one row may be as large as a request body.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import ChatMessage, Document, InheritedAttributes, Interaction, SpanContent

ROW_BYTES = 2048  # of the objects of one row, without texts
LINK_BYTES = 512  # of a tuple of three ids
_SCALARS: Final = frozenset((int, float, bool, type(None)))
_PROMPT, _DOCUMENTS, _ATTRIBUTES = attrgetter("system_prompt"), attrgetter("documents"), attrgetter("attributes")
_INPUTS, _OUTPUTS = attrgetter("input_messages"), attrgetter("output_messages")


def bytes_of_calls(items: Sequence[Interaction]) -> int:
    """Return the characters of texts and attributes, which is close to the number of bytes."""
    prompts = filter(None, map(_PROMPT, items))
    documents = chain.from_iterable(map(_DOCUMENTS, items))
    return (
        ROW_BYTES * len(items)
        + sum(map(len, prompts))
        + bytes_of_messages(chain.from_iterable(chain(map(_INPUTS, items), map(_OUTPUTS, items))))
        + bytes_of_documents(documents)
        + sum(map(_bytes_of_mapping, map(_ATTRIBUTES, items)))
    )


def bytes_of_content(item: SpanContent) -> int:
    texts = bytes_of_messages(item.input_messages) + bytes_of_messages(item.output_messages)
    return ROW_BYTES + len(item.system_prompt or "") + texts


def bytes_of_span_context(item: InheritedAttributes) -> int:
    return ROW_BYTES + bytes_of_documents(item.documents)


def bytes_of_feedback(item: Feedback) -> int:
    return ROW_BYTES + sum(len(text) for text in (item.text, item.comment, item.expected, item.record) if text)


def bytes_of_documents(documents: Iterable[Document]) -> int:
    return sum(len(document.content) for document in documents)


def bytes_of_messages(messages: Iterable[ChatMessage]) -> int:
    weight = 0
    for message in messages:
        weight += len(message.content)
        if message.tool_calls:
            weight += sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
    return weight


def _bytes_of_mapping(values: Mapping[Any, Any]) -> int:
    """Return the size of a JSON object: its texts, and a constant for each entry."""
    return 64 * len(values) + sum(map(len, values)) + _bytes_of_values(values.values())


def _bytes_of_values(values: Iterable[Any]) -> int:
    weight = 0
    for value in values:
        kind = value.__class__
        if kind is str:
            weight += len(value)
        elif kind in _SCALARS:
            continue
        elif isinstance(value, Mapping):
            weight += _bytes_of_mapping(value)
        elif isinstance(value, list | tuple):
            weight += 16 * len(value) + _bytes_of_values(value)
    return weight
