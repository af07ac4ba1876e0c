"""Redact one text. A text without private values is returned as the same object."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from monitor.ingest.redact.batch_scan import Column
from monitor.ingest.redact.finder import Finder
from monitor.ingest.redact.match import Hit
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules
from monitor.ingest.redact.walk import rewritten_value

ROUNDS: Final = 4  # repeated scans: a replacement may create a new match
# Printable ASCII that JSON may escape. A quote and a backslash are excluded, because unescaping them breaks JSON.
_ESCAPED: Final = re.compile(r"\\u(00(?!22|5[cC])[2-7][0-9a-fA-F])")
Found = Counter[str]  # counts by kind


class TextRedactor:
    def __init__(self, rules: Rules, salted: Salted, *, identifier: bool = False) -> None:
        self._rules, self._salted = rules, salted
        self._finder = Finder(rules, identifier=identifier)

    def with_shapes(self, column: Column) -> Iterator[tuple[str, int]]:
        """Yield the texts of a column that may need redaction, each with the index of its record."""
        joined = column.joined()
        data, shapes = _bytes(joined), self._finder.shapes
        if (first := shapes.first(data)) is None:
            return
        texts, owners = column.texts()
        encoded = texts if len(data) == len(joined) else [*map(_bytes, texts)]
        for index in shapes.hits(data, encoded, first):
            yield texts[index], owners[index]

    def text(self, text: str, found: Found) -> str:
        """Return the redacted text and add to `found`. JSON stays valid: a number that becomes a placeholder becomes a
        string.
        """
        data = _bytes(text)
        looks = self._finder.looks(data)
        if not looks:
            return text
        if self._finder.has_escapes(looks):
            data = _bytes(_unescaped(text))
            looks = self._finder.looks(data)
        hits = self._finder.find(data, looks)
        if not hits:  # dates and calendar versions look like phone numbers, and some services have one in every record
            return text
        mine: Found = Counter()
        for _ in range(ROUNDS):
            mine.update(hit.kind for hit in hits)
            data = self._without(hits, data)
            hits = self._finder.find(data, self._finder.looks(data))
            if not hits:
                break
        redacted = data.decode("utf-8", "surrogatepass")
        if _opens_json(text) and not _is_json(redacted):
            by_value: Found = Counter()
            whole = self._as_json(text, by_value)
            if whole is not None:
                redacted, mine = (whole, by_value) if by_value else (text, by_value)
        found.update(mine)
        return redacted

    def _without(self, hits: list[Hit], data: bytes) -> bytes:
        parts: list[bytes] = []
        at = 0
        for hit in hits:
            parts.append(data[at : hit.start])
            parts.append(self._salted.instead(hit, data[hit.start : hit.end], self._rules.action(hit.kind)))
            at = hit.end
        return b"".join([*parts, data[at:]])

    def _as_json(self, text: str, found: Found) -> str | None:
        """Redact a JSON text value by value; None when it is not valid JSON."""
        try:
            return json.dumps(self.value(json.loads(text), found), ensure_ascii=False)
        except (ValueError, RecursionError):
            return None

    def value(self, value: Any, found: Found) -> Any:
        """Redact every text and long whole number in a JSON value. Without a change the same object is returned."""
        return rewritten_value(value, lambda text: self.text(text, found))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _unescaped(text: str) -> str:
    r"""Replace escapes, because `anna\u0040example.org` is an address too."""
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text)


def _opens_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True
