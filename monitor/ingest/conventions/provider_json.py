"""A request or an answer of a provider that came as JSON text, whole or cut off at an attribute limit."""

import re
from dataclasses import dataclass
from typing import Any

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.texts import NOTHING, Texts
from monitor.ingest.json_list import read_list
from monitor.ingest.json_text import read_json

MESSAGES = re.compile(r'"(messages|input|contents|choices|output)":\s*(?=\[)')
BEGINNING = re.compile(r'\s*(\{\s*("|$)|\[\s*([{"\[]|$))')


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRead:
    """`cut`: the text ended early, `value` has the messages complete before. `unread`: it was no JSON at all."""

    value: Any = None
    cut: bool = False
    unread: bool = False

    @property
    def end(self) -> Texts:
        """How it came, as texts without any."""
        return Texts(cut=self.cut, unread=self.unread) if self.cut or self.unread else NOTHING


def read_provider_json(found: Any, where: str) -> JsonRead:
    """The value; of a cut object its first list of messages.

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
        return JsonRead(unread=True)
    listed = MESSAGES.search(text)
    found = read_list(text[listed.end() :] if listed else text, where)
    if found.unread or not found.items:
        return JsonRead(cut=True)
    return JsonRead(value={listed.group(1): list(found.items)} if listed else list(found.items), cut=True)
