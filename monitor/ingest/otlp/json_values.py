"""Decode the values in OTLP JSON: AnyValue, attribute lists, and 64-bit integers.

Names are lowerCamelCase. The snake_case names of the protobuf definition are accepted, too, as in protobuf's parser.
"""

import base64
import re
from functools import cache
from typing import Any

from monitor.errors import MalformedRecord

INTEGER = re.compile(r"-?\d{1,20}")
_KINDS = ("stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue")


@cache
def snake_case(name: str) -> str:
    """Return the name that the protobuf definition has for a field.

    >>> snake_case("startTimeUnixNano"), snake_case("name")
    ('start_time_unix_nano', 'name')
    """
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def field(raw: dict[str, Any], name: str) -> Any:
    """Return the value under the name or its snake_case spelling; None without either.

    Raise MalformedRecord when both are present.
    """
    found, other = raw.get(name), snake_case(name)
    if other == name or other not in raw:
        return found
    if found is not None:
        raise MalformedRecord(f"{name} is repeated as {other}")
    return raw[other]


def items(raw: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the list of objects under `key`; an absent or null list is empty."""
    found = field(raw, key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise MalformedRecord(f"{key} is not a list of objects")
    return found


def text(raw: dict[str, Any], key: str) -> str:
    found = field(raw, key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise MalformedRecord(f"{key} is not a string")
    return found


def optional_text(raw: dict[str, Any], key: str) -> str:
    """Return the text under `key`; empty when it is not a string."""
    found = field(raw, key)
    return found if isinstance(found, str) else ""


def integer(raw: dict[str, Any], key: str) -> int:
    """Return a 64-bit integer, which may be a decimal string or a number; 0 when it is absent."""
    found = _integer(0 if (raw_value := field(raw, key)) is None and key not in raw else raw_value)
    if found is None:
        raise MalformedRecord(f"{key} is not a 64-bit integer")
    return found


def optional_integer(raw: dict[str, Any], key: str) -> int:
    """Return a 64-bit integer; 0 when the value is not one."""
    return _integer(field(raw, key)) or 0


def attributes_of(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the list `attributes` as a mapping; the last one of equal keys wins."""
    return _pairs(items(raw, "attributes"))


def value_of(raw: Any) -> Any:
    """Return the plain value of an AnyValue; None for an empty one.

    A value that does not match its type name is returned unchanged; the reader of the attribute checks it.
    """
    if not isinstance(raw, dict):
        return raw
    if isinstance(raw.get("arrayValue"), dict) and (found := _values(raw["arrayValue"])) is not None:
        return [value_of(item) for item in found]
    if isinstance(raw.get("kvlistValue"), dict) and (found := _values(raw["kvlistValue"])) is not None:
        return _pairs([pair for pair in found if isinstance(pair, dict)])
    return _scalar(raw)


def _values(raw: dict[str, Any]) -> list[Any] | None:
    """Return the members of a list or map; None when it is not a list."""
    found = raw.get("values")
    return [] if found is None else found if isinstance(found, list) else None


def _scalar(raw: dict[str, Any]) -> Any:
    for kind, types in (("stringValue", str), ("boolValue", bool)):
        if isinstance(found := raw.get(kind), types):
            return found
    if isinstance(found := raw.get("bytesValue"), str):
        return _hex(found)
    if "intValue" in raw:
        found = raw["intValue"]
        return found if (value := _integer(found)) is None else value
    if "doubleValue" in raw:
        return _double(raw["doubleValue"])
    if known := {kind: raw[snake_case(kind)] for kind in _KINDS if snake_case(kind) in raw}:
        return value_of(known)
    return next((value for kind, value in raw.items() if kind.endswith("Value")), None)


def _hex(found: str) -> str:
    """Return base64 bytes as hex, as the protobuf reader does."""
    try:
        return base64.b64decode(found, validate=True).hex()
    except ValueError:
        return found


def _integer(found: Any) -> int | None:
    value = int(found) if isinstance(found, str) and INTEGER.fullmatch(found) else found
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64
    return value if fits else None


def _double(found: Any) -> Any:
    """Return a number; "NaN", "Infinity" and "-Infinity" stay text, because JSON has no such numbers."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            return float(found)
        except OverflowError:
            return str(found)
    return found


def _pairs(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {optional_text(pair, "key"): value_of(pair.get("value")) for pair in pairs}
