"""Typed readers of span attributes.

A value of another type is recorded as unread, and the reader tries the next name.
"""

import math
import sys
from collections.abc import Mapping
from typing import Any

from monitor.ingest.conventions.unread import note_unread

INT64_MAX = 2**63 - 1
LARGEST = sys.float_info.max


def text(attributes: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of `names` that is present and not empty; numbers and booleans as text."""
    for name in names:
        found = attributes.get(name)
        if found is None or found == "":
            continue
        if type(found) is str:  # nearly every value
            return found
        if isinstance(found, str | int | float):
            return str(found)
        note_unread(name, found)
    return None


def count(attributes: Mapping[str, Any], *names: str) -> int | None:
    """Return the first of `names` that is an integer of 0 or more."""
    return whole(attributes, *names, least=0)


def whole(attributes: Mapping[str, Any], *names: str, least: int = -INT64_MAX) -> int | None:
    """Return the first of `names` that is a 64-bit integer; a string of digits is accepted."""
    for name in names:
        found = attributes.get(name)
        if found is None:
            continue
        if type(found) is int and least <= found <= INT64_MAX:  # nearly every value
            return found
        value = _number(found)
        if value is not None and value == int(value) and least <= int(value) <= INT64_MAX:
            return int(value)
        note_unread(name, found)
    return None


def number(attributes: Mapping[str, Any], *names: str, least: float = -LARGEST) -> float | None:
    """Return the first of `names` that is a finite number; a string of digits is accepted."""
    for name in names:
        found = attributes.get(name)
        if found is None:
            continue
        if type(found) is float and least <= found <= LARGEST:  # nearly every value
            return found
        value = _number(found)
        if value is not None and least <= value <= LARGEST:
            return float(value)
        note_unread(name, found)
    return None


def flag(attributes: Mapping[str, Any], name: str) -> bool:
    """Return whether the attribute is true, as a boolean or as text."""
    return attributes.get(name) in (True, "true", "True")


def one_of(value: Any, known: frozenset[str]) -> bool:
    """Return whether `value` is one of `known`. Lists and maps are not hashable, so they never are."""
    return isinstance(value, str) and value in known


def texts(value: Any) -> list[str]:
    """Return a list of strings; one string is a list of one."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str) and item]
    return []


def _number(found: Any) -> int | float | None:
    """Return a finite number; None for any other value and for booleans."""
    if isinstance(found, str):
        found = _parsed(found)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return found if _finite(found) else None


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
