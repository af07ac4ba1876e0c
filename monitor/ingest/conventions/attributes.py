"""Typed reads of a span's attributes. A value of another type is noted as unread, and the next name is looked at."""

import math
import sys
from collections.abc import Mapping
from typing import Any

from monitor.ingest.conventions.unread import note_unread

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
        note_unread(name, found)
    return None


def count(attributes: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is a whole number from 0 on."""
    return whole(attributes, *names, least=0)


def whole(attributes: Mapping[str, Any], *names: str, least: int = -INT64_MAX) -> int | None:
    """The first of these that is a whole number of 64 bits; digits in a string are accepted."""
    for name in names:
        found = attributes.get(name)
        if found is None:
            continue
        if type(found) is int and least <= found <= INT64_MAX:  # as nearly all are
            return found
        value = _number(found)
        if value is not None and value == int(value) and least <= int(value) <= INT64_MAX:
            return int(value)
        note_unread(name, found)
    return None


def number(attributes: Mapping[str, Any], *names: str, least: float = -LARGEST) -> float | None:
    """The first of these that is a finite number; digits in a string are accepted."""
    for name in names:
        found = attributes.get(name)
        if found is None:
            continue
        if type(found) is float and least <= found <= LARGEST:  # as nearly all are
            return found
        value = _number(found)
        if value is not None and least <= value <= LARGEST:
            return float(value)
        note_unread(name, found)
    return None


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


def _number(found: Any) -> int | float | None:
    """None for what is no finite number; true and false are none."""
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
