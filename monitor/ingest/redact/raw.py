"""The bytes of a record that nobody could read, as they may be kept."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from monitor.ingest.redact.attributes import USER_KEYS, DroppedKeys
from monitor.ingest.redact.texts import Found, TextRedactor

LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_NAMES_USER: Final = re.compile(
    r'("(?:' + "|".join(re.escape(key) for key in sorted(USER_KEYS)) + r')"\s*:\s*)("(?:[^"\\]|\\.)*+")', re.DOTALL
)
MAX_DEPTH: Final = 4  # JSON in a string in JSON
NO_JSON: Final = object()


def redacted(raw: bytes, texts: TextRedactor, user: Callable[[str], str] | None, dropped: DroppedKeys) -> bytes:
    """JSON is looked at value by value and written anew where something was found; other bytes as one text.

    `user` turns a user id into what is stored for it; None keeps it.
    """
    value = _parsed(raw)
    if value is NO_JSON:
        return _as_text(raw, texts, user)
    try:
        cleaned = texts.value(_without(value, user, dropped), Found())
        return raw if cleaned is value else json.dumps(cleaned, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except RecursionError:
        return _as_text(raw, texts, user)


def _parsed(raw: bytes | str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return NO_JSON


def _without(value: Any, user: Callable[[str], str] | None, dropped: DroppedKeys) -> Any:
    """Without dropped attributes and with hashed users, in mappings and in OTLP's lists of keys; else the same.

    In a text that is JSON itself as well: attributes of some senders are.
    """
    if isinstance(value, str) and value[:1] in ("{", "[") and (inner := _parsed(value)) is not NO_JSON:
        cleaned = _without(inner, user, dropped)
        return value if cleaned is inner else json.dumps(cleaned, ensure_ascii=False)
    if isinstance(value, list):
        items = [_without(item, user, dropped) for item in value if not _is_dropped(item, dropped)]
        return value if len(items) == len(value) and all(n is o for n, o in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    new = {k: _of_key(k, item, user, dropped) for k, item in value.items() if k not in dropped}
    if isinstance(key := value.get("key"), str) and "value" in value:
        new["value"] = _of_key(key, value["value"], user, dropped)
    return value if len(new) == len(value) and all(new[k] is value[k] for k in value) else new


def _of_key(key: str, item: Any, user: Callable[[str], str] | None, dropped: DroppedKeys) -> Any:
    if user is None or key not in USER_KEYS:
        return _without(item, user, dropped)
    if isinstance(item, dict):
        return {k: user(str(inner)) for k, inner in item.items()}
    return item if item is None else user(str(item))


def _is_dropped(item: Any, dropped: DroppedKeys) -> bool:
    return isinstance(item, dict) and isinstance(key := item.get("key"), str) and key in dropped


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
    """First inside every string literal, as it reads without its escapes, then the text as a whole."""

    def inside(match: re.Match[str]) -> str:
        literal = _opened(match.group())
        cleaned = _literals(literal, texts, depth - 1) if depth > 1 and '"' in literal else _plain(literal, texts)
        return match.group() if cleaned == literal else json.dumps(cleaned, ensure_ascii=False)

    return _plain(LITERAL.sub(inside, text), texts)


def _plain(text: str, texts: TextRedactor) -> str:
    """Bytes that are no UTF-8 stand as surrogates here; they are put aside while the text is looked at."""
    return texts.text(text, Found())


def _opened(literal: str) -> str:
    try:
        opened = json.loads(literal, strict=False)
    except ValueError:
        return literal
    return opened if isinstance(opened, str) else literal
