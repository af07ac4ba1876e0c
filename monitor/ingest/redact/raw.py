"""Redact the bytes of an unreadable record before they are stored."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from monitor.ingest.json_text import storable_text
from monitor.ingest.redact.attributes import USER_KEYS, DroppedKeys
from monitor.ingest.redact.texts import Found, TextRedactor

LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_NAMES_USER: Final = re.compile(
    r'("(?:' + "|".join(re.escape(key) for key in sorted(USER_KEYS)) + r')"\s*:\s*)("(?:[^"\\]|\\.)*+")', re.DOTALL
)
MAX_DEPTH: Final = 4  # JSON in a string in JSON
MAX_NESTING: Final = 128  # a value with `ingest.limits.depth` levels has three times as many in OTLP JSON
TOO_DEEP: Final = "<nested too deep>"
NO_JSON: Final = object()


def redacted(raw: bytes, texts: TextRedactor, user: Callable[[str], str] | None, dropped: DroppedKeys) -> bytes:
    """Return the redacted bytes. JSON is redacted value by value, and encoded again if a value changed. Other bytes are
    one text.

    `user` returns the stored form of a user id; None keeps user ids.
    """
    value = _parsed(raw)
    if value is NO_JSON:
        return _as_text(raw, texts, user)
    try:
        cleaned = texts.value(_Attributes(user, dropped).cleaned(value), Found())
        return raw if cleaned is value else storable_text(json.dumps(cleaned, ensure_ascii=False)).encode()
    except RecursionError:
        return _as_text(raw, texts, user)


def _parsed(raw: bytes | str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return NO_JSON


class _Attributes:
    """Drops attributes and hashes users in mappings and in OTLP's key lists. Returns the same object without a change.

    It also decodes JSON inside texts, which some senders use for attributes. It visits every value once.
    """

    def __init__(self, user: Callable[[str], str] | None, dropped: DroppedKeys) -> None:
        self._user, self._dropped = user, dropped

    def cleaned(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return self._text(value, depth) if value[:1] in ("{", "[") else value
        if not isinstance(value, list | dict):
            return value
        if depth == MAX_NESTING:
            return TOO_DEEP
        return self._list(value, depth + 1) if isinstance(value, list) else self._mapping(value, depth + 1)

    def _text(self, text: str, depth: int) -> str:
        if (inner := _parsed(text)) is NO_JSON:
            return text
        cleaned = self.cleaned(inner, depth)
        return text if cleaned is inner else json.dumps(cleaned, ensure_ascii=False)

    def _list(self, value: list[Any], depth: int) -> list[Any]:
        items = [self.cleaned(item, depth) for item in value if not self._is_dropped(item)]
        return value if len(items) == len(value) and all(n is o for n, o in zip(items, value, strict=True)) else items

    def _mapping(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        named = key if isinstance(key := value.get("key"), str) else "value"  # in OTLP the name is next to the value
        new = {
            k: self._of_key(named if k == "value" else k, item, depth)
            for k, item in value.items()
            if k not in self._dropped
        }
        return value if len(new) == len(value) and all(new[k] is value[k] for k in value) else new

    def _of_key(self, key: str, item: Any, depth: int) -> Any:
        user = self._user
        if user is None or key not in USER_KEYS:
            return self.cleaned(item, depth)
        if isinstance(item, dict):
            return {k: user(str(inner)) for k, inner in item.items()}
        return item if item is None else user(str(item))

    def _is_dropped(self, item: Any) -> bool:
        return isinstance(item, dict) and isinstance(key := item.get("key"), str) and key in self._dropped


def _as_text(raw: bytes, texts: TextRedactor, user: Callable[[str], str] | None) -> bytes:
    text = raw.decode("utf-8", "surrogateescape")
    cleaned = _literals(text, texts, MAX_DEPTH)
    if user is not None:
        hashed = user
        cleaned = _NAMES_USER.sub(lambda m: m.group(1) + json.dumps(hashed(_opened(m.group(2)))), cleaned)
    if cleaned is text:
        return raw
    return cleaned.encode("utf-8", "surrogateescape")


def _literals(text: str, texts: TextRedactor, depth: int) -> str:
    """Redact the content of every string literal without its escapes, then the text as a whole."""

    def inside(match: re.Match[str]) -> str:
        literal = _opened(match.group())
        cleaned = _literals(literal, texts, depth - 1) if depth > 1 and '"' in literal else _plain(literal, texts)
        return match.group() if cleaned == literal else json.dumps(cleaned, ensure_ascii=False)

    return _plain(LITERAL.sub(inside, text), texts)


def _plain(text: str, texts: TextRedactor) -> str:
    """Redact a text. Invalid UTF-8 bytes are surrogates in it, which the text redactor preserves."""
    return texts.text(text, Found())


def _opened(literal: str) -> str:
    try:
        opened = json.loads(literal, strict=False)
    except ValueError:
        return literal
    return storable_text(opened) if isinstance(opened, str) else literal
