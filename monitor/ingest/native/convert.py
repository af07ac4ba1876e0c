"""Convert a JSON object to a native interaction. The error paths of msgspec name the values that do not fit."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.texts.message_list import read_messages
from monitor.ingest.conventions.texts.messages import as_text
from monitor.ingest.conventions.unread import UNREAD, note_unread
from monitor.ingest.native.schema import CONVERTERS, IDENTIFYING, OBJECTS, Error, Record, Retrieved

UNNAMED = "_OTHER"  # the name of an error without a class in OpenTelemetry's conventions
_PATH: Final = re.compile(r"\A(.*?)(?: - at `\$\.?([a-z_.]*)(?:\[(?:\d+|\.\.\.)\])?(\.[a-z_]+)?`)?\Z", re.DOTALL)
_UNKNOWN: Final = re.compile(r"\AObject contains unknown field `(.*)`\Z", re.DOTALL)


def to_record(raw: Mapping[str, Any]) -> Record:
    """Return the record. A value of another type is converted, or recorded as unread and left out.

    Raise MalformedRecord for an unknown field and for an identifying field of another type.

    >>> to_record({"type": "interaction", "usage": {"input_tokens": "12"}}).usage.input_tokens
    12
    """
    while True:
        try:
            return msgspec.convert(raw, Record)
        except msgspec.ValidationError as error:
            # Each round corrects one field for good, so the number of rounds is at most the number of fields.
            raw = _corrected(raw, *_located(error))


def _located(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the message of msgspec and the path of its value, without an index."""
    match = _PATH.match(str(error))
    assert match is not None, "the pattern matches every text"
    message, path, inner = match.groups()
    return message, (path or "") + (inner or "")


def _corrected(raw: Mapping[str, Any], message: str, path: str) -> Mapping[str, Any]:
    """Return the object with a right value at the path, or raise MalformedRecord when it has none."""
    if (unknown := _UNKNOWN.match(message)) is not None:
        if unknown.group(1) == UNREAD and path in OBJECTS and path not in {"", "documents"}:
            return {**raw, path: {name: value for name, value in raw[path].items() if name != UNREAD}}
        raise _unknown_field(path, unknown.group(1))
    if path in IDENTIFYING:
        raise MalformedRecord(f"field {path!r} is not a string")
    top, _, inner = path.partition(".")
    if top == "documents":
        return {**raw, top: _documents(raw[top])}
    if top == "error":
        return {**raw, top: _error_type(raw[top])}
    if inner:
        return {**raw, top: {**raw[top], inner: _value(path, raw[top][inner])}}
    return {**raw, top: _value(path, raw[top])}


def _value(path: str, value: Any) -> Any:
    if path.endswith(".messages"):
        return list(read_messages(value, path).items)
    if (convert := CONVERTERS.get(path)) is not None:
        return convert({path: value}, path)
    note_unread(path, value)
    return None


def _documents(value: Any) -> list[Retrieved] | None:
    """Return the documents, each converted on its own, so that the time is linear."""
    if not isinstance(value, list):
        note_unread("documents", value)
        return None
    return [_document(one) for one in value if one is not None]


def _document(raw: Any) -> Retrieved:
    """Return a document. A value that is not an object is its text."""
    if not isinstance(raw, Mapping):
        return Retrieved(content=as_text(raw))
    while True:
        try:
            return msgspec.convert(raw, Retrieved)
        except msgspec.ValidationError as error:
            message, field = _located(error)
            if (unknown := _UNKNOWN.match(message)) is not None:
                raise _unknown_field("documents", unknown.group(1)) from None
            raw = {**raw, field: _value(f"documents.{field}", raw[field])}


def _error_type(value: Any) -> str | None:
    """Return the class of an error: a text, or the `type` of an object. Other values except false have no class."""
    if value is False:
        return None
    if not isinstance(value, Mapping):
        return CONVERTERS["error"]({"error": value}, "error") or UNNAMED
    for key in value:
        if key not in {*Error.__struct_fields__, UNREAD}:
            raise _unknown_field("error", key)
    return CONVERTERS["error.type"]({"error.type": value.get("type")}, "error.type") or UNNAMED


def _unknown_field(path: str, key: str) -> MalformedRecord:
    name = f"{path}.{key[:80]}" if path else key[:80]
    known = ", ".join(sorted(OBJECTS[path].__struct_fields__))
    return MalformedRecord(f"field {name!r} is unknown; known: {known}")
