"""Typed reads of a span's attributes: what is there in another type is a malformed span, said by name."""

import math
import sys
from collections.abc import Mapping
from typing import Any

from monitor.errors import MalformedRecord

INT64_MAX = 2**63 - 1
LARGEST = sys.float_info.max


def text(attributes: Mapping[str, Any], *names: str) -> str | None:
    """The first of these that is there and not empty; numbers and booleans are read as their text."""
    for name in names:
        found = attributes.get(name)
        if found is None or found == "":
            continue
        if type(found) is str:  # as nearly all are
            return found
        if isinstance(found, str | int | float):
            return str(found)
        raise MalformedRecord(f"attribute {name} is no text")
    return None


def count(attributes: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is there, a whole number from 0 on."""
    for name in names:
        if (told := attributes.get(name)) is not None:
            if type(told) is int and 0 <= told <= INT64_MAX:  # as nearly all are
                return told
            break
    else:
        return None
    found = whole(attributes, *names)
    if found is not None and found < 0:
        raise MalformedRecord(f"attribute {' or '.join(names)} is negative")
    return found


def whole(attributes: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is there, a whole number of 64 bits; digits in a string are accepted."""
    for name in names:
        if (found := attributes.get(name)) is not None:
            if type(found) is int and -INT64_MAX <= found <= INT64_MAX:  # as nearly all are
                return found
            break
    else:
        return None
    value, name = _first_number(attributes, names)
    if value is None:
        return None
    if not value.is_integer() if isinstance(value, float) else abs(value) > INT64_MAX:
        raise MalformedRecord(f"attribute {name} is no whole number of 64 bits")
    if abs(whole_value := int(value)) > INT64_MAX:
        raise MalformedRecord(f"attribute {name} is no whole number of 64 bits")
    return whole_value


def number(attributes: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        if (found := attributes.get(name)) is not None:
            if type(found) is float and -LARGEST <= found <= LARGEST:  # as nearly all are
                return found
            break
    else:
        return None
    value, _ = _first_number(attributes, names)
    return None if value is None else float(value)


def flag(attributes: Mapping[str, Any], name: str) -> bool:
    return attributes.get(name) in (True, "true", "True")


def one_of(value: Any, known: frozenset[str]) -> bool:
    """Lists and maps are one of nothing: they cannot be looked up."""
    return isinstance(value, str) and value in known


def texts(value: Any) -> list[str]:
    """A list of strings, or one string standing for a list of one."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str) and item]
    return []


def _first_number(attributes: Mapping[str, Any], names: tuple[str, ...]) -> tuple[int | float | None, str]:
    for name in names:
        found = attributes.get(name)
        if found is None:
            continue
        return _number(found, name), name
    return None, ""


def _number(found: Any, name: str) -> int | float:
    if isinstance(found, bool):
        raise MalformedRecord(f"attribute {name} is a boolean, not a number")
    if isinstance(found, str):
        found = _parsed(found)
    if isinstance(found, int | float) and _finite(found):
        return found
    raise MalformedRecord(f"attribute {name} is no finite number")


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _parsed(digits: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(digits)
        except ValueError:
            continue
    return None
