"""The fields of a JSON object that is to be a case, each with an error that names the place and never quotes a text."""

import math
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from replay.errors import CaseError

KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    return KINDS.get(type(value), type(value).__name__)


def text(value: Any, field: str, where: str) -> str:
    """A text in NFC."""
    if not isinstance(value, str):
        raise CaseError(f"{where}: field {field!r} must be a text, found {kind(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CaseError(f"{where}: field {field!r} holds half a surrogate pair, which is no character") from None
    return unicodedata.normalize("NFC", value)


def texts(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    """A list of texts, empty when the field is absent."""
    given = record.get(field, [])
    if not isinstance(given, list):
        raise CaseError(f"{where}: field {field!r} must be a list of texts, found {kind(given)}")
    return tuple(text(item, field, where) for item in given)


def optional_text(record: Mapping[str, Any], field: str, where: str) -> str | None:
    """A text, None when it is absent or empty."""
    return text(record[field], field, where) or None if field in record else None


def names(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    """Different printable texts, sorted: their order says nothing."""
    given = [item.strip() for item in texts(record, field, where)]
    if any(not item or not item.isprintable() for item in given):
        raise CaseError(f"{where}: field {field!r} must be a list of printable texts")
    return tuple(sorted(set(given)))


def schema(record: Mapping[str, Any], where: str) -> Mapping[str, Any] | None:
    """A JSON Schema that is an object; None when it is absent or says nothing."""
    given = record.get("schema", {})
    if not isinstance(given, Mapping):
        raise CaseError(f"{where}: field 'schema' must be an object (a JSON Schema), found {kind(given)}")
    return _json(given, where) or None


def weight(record: Mapping[str, Any], where: str) -> float:
    """A finite number above 0; 1 when it is absent."""
    given = record.get("weight", 1.0)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise CaseError(f"{where}: field 'weight' must be a number, found {kind(given)}")
    if not (given > 0 and math.isfinite(given) and given <= 1e9):
        raise CaseError(f"{where}: field 'weight' must be a number above 0; leave it out for 1")
    return float(given)


def instant(record: Mapping[str, Any], field: str, where: str) -> datetime | None:
    """An RFC 3339 time with its offset, in UTC; None when it is absent."""
    if field not in record:
        return None
    try:
        found = datetime.fromisoformat(text(record[field], field, where))
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise CaseError(f"{where}: field {field!r} must be a time with its offset, like 2026-11-21T08:00:00Z")


def _json(value: Any, where: str) -> Any:
    """The same JSON value with its texts in NFC."""
    if isinstance(value, Mapping):
        return {text(key, "schema", where): _json(item, where) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item, where) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise CaseError(f"{where}: field 'schema' holds a number that JSON does not have")
    return text(value, "schema", where) if isinstance(value, str) else value
