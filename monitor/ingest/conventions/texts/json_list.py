"""Read a list that is structured, JSON text, or JSON text truncated at an attribute limit."""

import json
import re
from dataclasses import dataclass
from typing import Any

from monitor.errors import MalformedRecord
from monitor.ingest.json_text import has_too_many_containers, read_json, storable

DECODER = json.JSONDecoder()
BEGINNING = re.compile(r'\[\s*([{"\[]|$)|\{\s*("|$)')  # of a list of messages, or of one message
BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRead:
    """`cut`: the text is truncated and `items` are the complete ones before the cut. `unread`: the text is not JSON."""

    items: tuple[Any, ...] = ()
    cut: bool = False
    unread: bool = False


def read_list(value: Any) -> ListRead:
    """Return the list. Absent and empty values are an empty list; any other value is a list of one.

    >>> read_list('[{"a":1},{"b":')
    ListRead(items=({'a': 1},), cut=True, unread=False)
    >>> read_list("<hidden>")
    ListRead(items=(), cut=False, unread=True)
    """
    if isinstance(value, str) and value:
        return _read_text(value)
    return _listed(value)


def _listed(value: Any) -> ListRead:
    if value is None or value == "":
        return ListRead()
    return ListRead(items=tuple(value) if isinstance(value, list) else (value,))


def _read_text(text: str) -> ListRead:
    try:
        return _listed(read_json(text, "the list"))
    except MalformedRecord:
        return _salvaged(text)


def _salvaged(text: str) -> ListRead:
    """Return the complete items of a truncated list."""
    if not BEGINNING.match(text) or has_too_many_containers(text):
        return ListRead(unread=True)
    items: list[Any] = []
    at = 1
    while text[:1] == "[":
        at = BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # the pattern also matches empty text
        try:
            item, at = DECODER.raw_decode(text, at)
            items.append(storable(item))
        except (ValueError, RecursionError):
            break
    return ListRead(items=tuple(items), cut=True)
