"""The values inside OTLP JSON: AnyValue, attribute lists, 64-bit integers.

Names are lowerCamelCase. Those of the protobuf definition, in snake_case, mean the same, as for protobuf's JSON parser.
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
    """Return the value under the name or its other spelling; None when it has neither, MalformedRecord for both."""
    found, other = raw.get(name), snake_case(name)
    if other == name or other not in raw:
        return found
    if found is not None:
        raise MalformedRecord(f"{name} is there twice, also as {other}")
    return raw[other]


def items(raw: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The list of objects under `key`; an absent or null list is empty."""
    found = field(raw, key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise MalformedRecord(f"{key} is no list of objects")
    return found


def text(raw: dict[str, Any], key: str) -> str:
    found = field(raw, key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise MalformedRecord(f"{key} is no string")
    return found


def optional_text(raw: dict[str, Any], key: str) -> str:
    """Empty for what is no string."""
    found = field(raw, key)
    return found if isinstance(found, str) else ""


def integer(raw: dict[str, Any], key: str) -> int:
    """64-bit integers come as decimal strings, from some senders as numbers; 0 when absent."""
    found = _integer(0 if (raw_value := field(raw, key)) is None and key not in raw else raw_value)
    if found is None:
        raise MalformedRecord(f"{key} is no integer of 64 bits")
    return found


def optional_integer(raw: dict[str, Any], key: str) -> int:
    """0 for what is no integer."""
    return _integer(field(raw, key)) or 0


def attributes_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The list `attributes` of `raw` as a mapping; the last of equal keys counts."""
    return _pairs(items(raw, "attributes"))


def value_of(raw: Any) -> Any:
    """An AnyValue as the plain value it stands for; an empty one is None.

    A value that is not what its name says is taken as it came: who reads the attribute finds out whether it can be.
    """
    if not isinstance(raw, dict):
        return raw
    if isinstance(raw.get("arrayValue"), dict) and (found := _values(raw["arrayValue"])) is not None:
        return [value_of(item) for item in found]
    if isinstance(raw.get("kvlistValue"), dict) and (found := _values(raw["kvlistValue"])) is not None:
        return _pairs([pair for pair in found if isinstance(pair, dict)])
    return _scalar(raw)


def _values(raw: dict[str, Any]) -> list[Any] | None:
    """The members of a list or a map, none of an empty one; None for what is no list."""
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
    """Bytes come in base64, and are kept as readers of protobuf keep them."""
    try:
        return base64.b64decode(found, validate=True).hex()
    except ValueError:
        return found


def _integer(found: Any) -> int | None:
    value = int(found) if isinstance(found, str) and INTEGER.fullmatch(found) else found
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64
    return value if fits else None


def _double(found: Any) -> Any:
    """A number; the strings "NaN", "Infinity" and "-Infinity" stay strings, for JSON has no such numbers."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            return float(found)
        except OverflowError:
            return str(found)
    return found


def _pairs(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {optional_text(pair, "key"): value_of(pair.get("value")) for pair in pairs}
