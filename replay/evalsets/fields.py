"""Reads one field of a record. Errors describe the problem without quoting the content."""

import math
from collections.abc import Mapping
from typing import Any

from replay.errors import CaseError
from replay.normal_form import normal_form

_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def kind_of(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)


def object_of(obj: Any, where: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(obj, Mapping):
        raise CaseError(f"{where}: expected a JSON object, found {kind_of(obj)}")
    unknown = sorted(str(key) for key in obj if key not in known)
    if unknown:
        raise CaseError(f"{where}: field {unknown[0]!r} is unknown; known: {', '.join(known)}")
    return obj


def text_of(value: Any, field: str, where: str) -> str:
    """Return the text in NFC."""
    if not isinstance(value, str):
        raise CaseError(f"{where}: field {field!r} must be a text, found {kind_of(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CaseError(f"{where}: field {field!r} has half a surrogate pair, which is not a character") from None
    return normal_form(value)


def named(value: Any, field: str, where: str) -> str:
    """Return a text that is not empty."""
    name = text_of(value, field, where)
    if not name.strip():
        raise CaseError(f"{where}: field {field!r} is empty")
    return name


def texts_of(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    return tuple(text_of(item, field, where) for item in list_of(record, field, "texts", where))


def list_of(record: Mapping[str, Any], field: str, of_what: str, where: str) -> list[Any]:
    """Return the list, empty if the field is absent."""
    given = record.get(field, [])
    if not isinstance(given, list):
        raise CaseError(f"{where}: field {field!r} must be a list of {of_what}, found {kind_of(given)}")
    return given


def json_object(value: Any, field: str, where: str) -> dict[str, Any]:
    """Return an object of JSON values, with its texts in NFC."""
    if not isinstance(value, Mapping):
        raise CaseError(f"{where}: field {field!r} must be an object, found {kind_of(value)}")
    return {text_of(key, field, where): _json(item, field, where) for key, item in value.items()}


def _json(value: Any, field: str, where: str) -> Any:
    if isinstance(value, str):
        return text_of(value, field, where)
    if isinstance(value, Mapping):
        return json_object(value, field, where)
    if isinstance(value, list):
        return [_json(item, field, where) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise CaseError(f"{where}: field {field!r} has a number that is not finite, which JSON does not allow")
    if type(value) not in _KINDS:
        raise CaseError(f"{where}: field {field!r} holds {kind_of(value)}, which is no JSON")
    return value
