"""JSON from outside as values that can be stored: no NaN, no lone surrogates, no depth that overflows the stack."""

import json
import math
from typing import Any, Final, NoReturn

import msgspec

from monitor.errors import MalformedRecord

MAX_CONTAINERS = 1_000_000  # a full body of spans with many small attributes holds three quarters of that


def read_json(text: str | bytes, what: str) -> Any:
    """The storable value, or MalformedRecord naming `what` it was that is not JSON."""
    try:
        if not has_too_many_containers(text):
            return _STRICT.decode(text)
    except _NOT_STRICT:
        pass  # what is lenient below, or says what is wrong
    value = parse_json(text, what)
    try:
        return storable(value)
    except RecursionError as error:
        raise MalformedRecord(f"{what} is not JSON: {_reason_of(error)}") from error


def parse_json(text: str | bytes, what: str) -> Any:
    """The value as it was sent: whoever takes a document apart makes each of its records storable by itself."""
    if has_too_many_containers(text):
        raise MalformedRecord(f"{what} holds more than {MAX_CONTAINERS} lists and objects; send smaller batches")
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedRecord(f"{what} is not JSON: {_reason_of(error)}") from error


def has_too_many_containers(text: str | bytes) -> bool:
    """Whether it may hold so many lists and objects that they take gigabytes of memory: an empty one is two bytes."""
    if len(text) <= MAX_CONTAINERS:
        return False
    if len(text) <= MAX_CONTAINERS:
        return False
    if isinstance(text, str):
        return text.count("[") + text.count("{") > MAX_CONTAINERS
    return text.count(b"[") + text.count(b"{") > MAX_CONTAINERS


def storable(value: Any) -> Any:
    """The same JSON value with its lone surrogates replaced by U+FFFD and its non-finite numbers by their names."""
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
    """JavaScript cuts attributes between the halves of an emoji; UTF-8 has no way to write such a half."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("�" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


# Takes only what can be stored as it stands: lone surrogates, NaN and numbers that are infinite are errors to it.
_STRICT: Final = msgspec.json.Decoder()
_NOT_STRICT: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")


def _reason_of(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error).split(":", maxsplit=1)[0]
