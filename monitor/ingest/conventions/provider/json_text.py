"""Read a provider's request or answer from JSON text, whole or truncated at an attribute limit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.texts.call_texts import NOTHING, Texts, is_placeholder
from monitor.ingest.conventions.texts.json_list import read_list
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.json_text import read_json

MESSAGES = re.compile(r'"(messages|input|contents|choices|output)":\s*(?=\[)')
BEGINNING = re.compile(r'\s*(\{\s*("|$)|\[\s*([{"\[]|$))')


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRead:
    """`cut`: the text is truncated; `value` has the complete messages before the cut. `unread`: it is not JSON."""

    value: Any = None
    cut: bool = False
    unread: bool = False

    @property
    def state(self) -> Texts:
        """Whether the JSON was truncated or unread, as texts without messages."""
        return Texts(cut=self.cut, unread=self.unread) if self.cut or self.unread else NOTHING

    @property
    def answer_state(self) -> Texts:
        return self.state._replace(answer_cut=True) if self.cut else self.state


def json_of(attributes: Mapping[str, Any], name: str) -> Any:
    """Return the value of an attribute that is JSON or structured; None for text that is not JSON."""
    value = attributes.get(name)
    if not isinstance(value, str):
        return value
    if not value or is_placeholder(value):
        return None
    try:
        return read_json(value, name)
    except MalformedRecord:
        note_unread(name, value)
        return None


def read_provider_json(found: Any, where: str) -> JsonRead:
    """Return the value; for a truncated object, its first list of messages.

    >>> read_provider_json('{"model": "m", "messages": [{"role": "user"}, {"ro', "x")
    JsonRead(value={'messages': [{'role': 'user'}]}, cut=True, unread=False)
    """
    if not isinstance(found, str):
        return JsonRead(value=found)
    if not found:
        return JsonRead()
    try:
        return JsonRead(value=read_json(found, where))
    except MalformedRecord:
        return _salvaged(found, where)


def _salvaged(text: str, where: str) -> JsonRead:
    if not BEGINNING.match(text):
        if not is_placeholder(text):
            note_unread(where, text)
        return JsonRead(unread=True)
    listed = MESSAGES.search(text)
    found = read_list(text[listed.end() :] if listed else text)
    if found.unread or not found.items:
        return JsonRead(cut=True)
    return JsonRead(value={listed.group(1): list(found.items)} if listed else list(found.items), cut=True)
