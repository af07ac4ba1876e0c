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


def integer(raw: dict[str, Any], key: str) -> int:
    """64-bit integers come as decimal strings, from some senders as numbers; 0 when absent."""
    found = field(raw, key)
    return 0 if found is None and key not in raw else _integer(found, key)


def attributes_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The list `attributes` of `raw` as a mapping; the last of equal keys counts."""
    return _pairs(raw, "attributes")


def value_of(raw: Any, what: str) -> Any:
    """An AnyValue as the plain value it stands for; an empty one is None."""
    if raw is None:
        return None
    if not isinstance(raw, dict):
        raise MalformedRecord(f"{what} is no AnyValue object")
    if isinstance(raw.get("arrayValue"), dict):
        return [value_of(item, what) for item in items(raw["arrayValue"], "values")]
    if isinstance(raw.get("kvlistValue"), dict):
        return _pairs(raw["kvlistValue"], "values")
    return _scalar(raw, what)


def _scalar(raw: dict[str, Any], what: str) -> Any:
    for kind, types in (("stringValue", str), ("boolValue", bool)):
        if isinstance(found := raw.get(kind), types):
            return found
    if isinstance(found := raw.get("bytesValue"), str):
        return _hex(found, what)
    if "intValue" in raw:
        return _integer(raw["intValue"], what)
    if "doubleValue" in raw:
        return _double(raw["doubleValue"], what)
    if any(kind.endswith("Value") for kind in raw):
        raise MalformedRecord(f"{what} holds an AnyValue whose type does not fit its name")
    if known := {kind: raw[snake_case(kind)] for kind in _KINDS if snake_case(kind) in raw}:
        return value_of(known, what)
    return None


def _hex(found: str, what: str) -> str:
    """Bytes come in base64, and are kept as readers of protobuf keep them."""
    try:
        return base64.b64decode(found, validate=True).hex()
    except ValueError:
        raise MalformedRecord(f"{what} is no base64") from None


def _integer(found: Any, what: str) -> int:
    value = int(found) if isinstance(found, str) and INTEGER.fullmatch(found) else found
    if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64:
        return value
    raise MalformedRecord(f"{what} is no integer of 64 bits")


def _double(found: Any, what: str) -> float | str:
    """A number; the strings "NaN", "Infinity" and "-Infinity" stay strings, for JSON has no such numbers."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            return float(found)
        except OverflowError:
            raise MalformedRecord(f"{what} is too large for a double") from None
    if found in ("NaN", "Infinity", "-Infinity"):
        return str(found)
    raise MalformedRecord(f"{what} is no number")


def _pairs(raw: dict[str, Any], key: str) -> dict[str, Any]:
    return {text(pair, "key"): value_of(pair.get("value"), text(pair, "key")) for pair in items(raw, key)}
