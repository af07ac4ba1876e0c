"""Redact one text. A text without private values is returned as the same object."""

import json
import re
from collections import Counter
from typing import Any, Final

from monitor.ingest.redact.batch_scan import LONG_NUMBER
from monitor.ingest.redact.finder import Finder
from monitor.ingest.redact.match import Hit
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules

ROUNDS: Final = 4  # repeated scans: a replacement may create a new match
# Printable ASCII that JSON may escape. A quote and a backslash are excluded, because unescaping them breaks JSON.
_ESCAPED: Final = re.compile(r"\\u(00(?!22|5[cC])[2-7][0-9a-fA-F])")
Found = Counter[str]  # counts by kind


class TextRedactor:
    def __init__(self, rules: Rules, salted: Salted, *, identifier: bool = False) -> None:
        self._rules, self._salted = rules, salted
        self._finder = Finder(rules, identifier=identifier)

    def suspicious(self, text: str) -> bool:
        """Return False when `text`, or every text joined in it, needs no redaction."""
        return bool(self._finder.looks(_bytes(text)))

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
        mine: Found = Counter()
        for _ in range(ROUNDS):
            hits = self._finder.find(data, looks)
            if not hits:
                break
            mine.update(hit.kind for hit in hits)
            data = self._without(hits, data)
            looks = self._finder.looks(data)
        if not mine:
            return text
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
        if isinstance(value, str):
            return self.text(value, found)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LONG_NUMBER:
            written = str(value)
            redacted = self.text(written, found)
            return value if redacted is written else redacted
        if isinstance(value, list | tuple):
            items = [self.value(item, found) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        if isinstance(value, dict):
            return self._mapping(value, found)
        return value

    def _mapping(self, value: dict[Any, Any], found: Found) -> dict[Any, Any]:
        new = {self._key(key, found): self.value(item, found) for key, item in value.items()}
        same = all(k is nk and v is nv for (k, v), (nk, nv) in zip(value.items(), new.items(), strict=False))
        return value if same and len(new) == len(value) else new

    def _key(self, key: Any, found: Found) -> Any:
        return self.text(key, found) if isinstance(key, str) else key


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
