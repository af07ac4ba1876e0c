"""Decode external JSON to values that can be stored: no NaN, no lone surrogates, and no excessive depth."""

import json
import math
from typing import Any, Final, NoReturn

import msgspec

from monitor.errors import MalformedRecord

MAX_CONTAINERS = 1_000_000  # a full body of spans with many small attributes has three quarters of that


def read_json(text: str | bytes, what: str) -> Any:
    """Return the storable value. Raise MalformedRecord, which names `what` is not JSON."""
    try:
        if not has_too_many_containers(text):
            return _STRICT.decode(text)
    except _NOT_STRICT:
        pass  # the lenient decoder below reads it or reports the error
    value = parse_json(text, what)
    try:
        return storable(value)
    except RecursionError as error:
        raise MalformedRecord(f"{what} is not JSON: {_reason_of(error)}") from error


def parse_json(text: str | bytes, what: str) -> Any:
    """Return the value as it was sent. A caller that splits a document makes each record storable separately."""
    if has_too_many_containers(text):
        raise MalformedRecord(f"{what} has more than {MAX_CONTAINERS} lists and objects; send smaller batches")
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedRecord(f"{what} is not JSON: {_reason_of(error)}") from error


def has_too_many_containers(text: str | bytes) -> bool:
    """Return whether the text may have enough lists and objects to take gigabytes of memory.

    An empty list is only two bytes of text.
    """
    if len(text) <= MAX_CONTAINERS:
        return False
    if isinstance(text, str):
        return text.count("[") + text.count("{") > MAX_CONTAINERS
    return text.count(b"[") + text.count(b"{") > MAX_CONTAINERS


def storable(value: Any) -> Any:
    """Return the value with lone surrogates as U+FFFD and non-finite numbers as text."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable_text(key): storable(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def storable_text(text: str) -> str:
    """Return the text with lone surrogates as U+FFFD.

    JavaScript can truncate an attribute between the two halves of an emoji. UTF-8 cannot encode such a half.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("�" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


# The strict decoder rejects lone surrogates, NaN and infinite numbers, so its values need no repair.
_STRICT: Final = msgspec.json.Decoder()
_NOT_STRICT: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _reason_of(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error).split(":", maxsplit=1)[0]
