"""Reads of optional fields. A value that cannot be read counts as absent, and is noted as unread under its path."""

from collections.abc import Iterable, Mapping
from typing import Any

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.unread import UNREAD, note_unread
from monitor.ingest.native.fields import INT64_MAX, Fields


class OptionalFields(Fields):
    """One object of a call. `needed_text`, `time` and unknown fields are strict."""

    def text(self, key: str) -> str | None:
        """Return the text; None for an empty one. Numbers become text."""
        return read.text({self.name(key): self.raw(key)}, self.name(key))

    def number(self, key: str, *, least: float = -read.LARGEST) -> float | None:
        return read.number({self.name(key): self.raw(key)}, self.name(key), least=least)

    def whole(self, key: str, *, least: int = -INT64_MAX) -> int | None:
        return read.whole({self.name(key): self.raw(key)}, self.name(key), least=least)

    def items(self, key: str) -> list[Any]:
        found = self.raw(key)
        if found is None or isinstance(found, list):
            return found or []
        note_unread(self.name(key), found)
        return []

    def mapping(self, key: str) -> dict[str, Any]:
        """Return the object without the name that only driftd writes."""
        found = self.raw(key)
        if found is not None and not isinstance(found, Mapping):
            note_unread(self.name(key), found)
            return {}
        return {name: value for name, value in (found or {}).items() if name != UNREAD}

    def part(self, key: str, *, known: Iterable[str]) -> "OptionalFields":
        """Return an object inside this one; an absent one reads as empty."""
        return OptionalFields(self.mapping(key), self.name(key), known=known)
