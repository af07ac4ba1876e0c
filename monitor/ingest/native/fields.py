"""Strict reads from one JSON object. Every error names the field with its path, and the expected type."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from monitor.errors import MalformedRecord

INT64_MAX = 2**63 - 1
RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
TRACE_ID = re.compile(r"[0-9a-f]{32}")
SPAN_ID = re.compile(r"[0-9a-f]{16}")
FRACTION = re.compile(r"(\.\d{6})\d+")
_MICROSECONDS = len("2026-11-21T02:00:00.000000Z")  # a longer text has more digits or a numeric offset
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)  # the store adds margins to a time, and the result must be a valid date


class Fields:
    """One object of a record. A null field counts as absent."""

    def __init__(self, raw: Any, path: str = "", *, known: Iterable[str]) -> None:
        if not isinstance(raw, Mapping):
            raise MalformedRecord(f"{path or 'the record'} is not a JSON object")
        self._raw = raw
        self._path = path
        allowed = set(known)
        if unknown_keys := sorted(key for key in raw if key not in allowed):
            raise MalformedRecord(
                f"field {self.name(unknown_keys[0][:80])!r} is unknown; known: {', '.join(sorted(allowed))}"
            )

    def name(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def raw(self, key: str) -> Any:
        return self._raw.get(key)

    def mapping(self, key: str) -> dict[str, Any]:
        found = self._raw.get(key)
        if found is not None and not isinstance(found, Mapping):
            raise self._wrong(key, "an object")
        return dict(found or {})

    def items(self, key: str) -> list[Any]:
        found = self._raw.get(key)
        if found is not None and not isinstance(found, list):
            raise self._wrong(key, "a list")
        return list(found or [])

    def text(self, key: str) -> str | None:
        """Return the text; None for an empty one."""
        found = self._raw.get(key)
        if found is not None and not isinstance(found, str):
            raise self._wrong(key, "a string")
        return found or None

    def needed_text(self, key: str) -> str:
        found = self.text(key)
        if found is None:
            raise MalformedRecord(f"field {self.name(key)!r} is missing")
        return found

    def choice(self, key: str, options: Iterable[str]) -> str | None:
        found = self.text(key)
        if found is not None and found not in (known := list(options)):
            raise self._wrong(key, f"one of {', '.join(known)}")
        return found

    def number(self, key: str, *, least: float = -math.inf) -> float | None:
        found = self._raw.get(key)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or not _fits_double(found) or found < least:
            raise self._wrong(key, "a finite number" if least == -math.inf else f"a number from {least:g} on")
        return float(found)

    def whole(self, key: str, *, least: int = -INT64_MAX) -> int | None:
        found = self._raw.get(key)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= INT64_MAX:
            raise self._wrong(key, "a whole number of 64 bits" if least < 0 else f"a whole number from {least} on")
        return found

    def time(self, key: str) -> datetime:
        """Return an RFC 3339 time with an offset. A time without an offset is ambiguous."""
        return needed_time(self.text(key), self.name(key))

    def _wrong(self, key: str, expected: str) -> MalformedRecord:
        return _wrong(self.name(key), expected)


def needed_time(text: str | None, name: str) -> datetime:
    """Return the UTC time of an RFC 3339 text. Raise MalformedRecord, which names the field."""
    if not text:
        raise MalformedRecord(f"field {name!r} is missing")
    if not RFC3339.fullmatch(text):
        raise _wrong(name, "a time in RFC 3339 with an offset, like 2026-11-21T02:00:00Z")
    if (at := _instant(text)) is None:
        raise _wrong(name, "a time that exists")
    if at < EARLIEST:
        raise _wrong(name, "a time from 1970 on")
    if at >= LATEST:
        raise _wrong(name, "a time before the year 9000")
    return at


def hex_id(text: str | None, name: str, pattern: re.Pattern[str]) -> str | None:
    """Return a trace or span id in lower case, as OTLP has it, so that links match."""
    if not text:
        return None
    if not pattern.fullmatch(text.lower()):
        raise MalformedRecord(f"field {name!r} is not a W3C id in hexadecimal digits")
    return text.lower()


def _wrong(name: str, expected: str) -> MalformedRecord:
    return MalformedRecord(f"field {name!r} is not {expected}")


def _instant(text: str) -> datetime | None:
    """Return the UTC time of a text in RFC 3339 form, cut to microseconds; None when the day or hour does not exist."""
    try:
        at = datetime.fromisoformat(FRACTION.sub(r"\1", text.upper()) if len(text) > _MICROSECONDS else text.upper())
        return at if at.tzinfo is UTC else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _fits_double(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
