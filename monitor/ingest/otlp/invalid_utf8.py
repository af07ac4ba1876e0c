"""Repair texts that are not valid UTF-8 in a protobuf record, with replacement characters.

Only records that protobuf's parser rejects are repaired, so valid records take no extra time.
"""

from typing import Final, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor  # type: ignore[import-untyped]  # ships no types
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]  # as above

M = TypeVar("M", bound=Message)
DELIMITED: Final = 2
WIDTHS: Final = {1: 8, 5: 4}  # bytes of a value, by wire type
MAX_DEPTH: Final = 100  # nested messages, as in protobuf's parser
MAX_VARINT_BYTES: Final = 10
MAX_FIELDS: Final = 200_000  # at all depths of one record: each takes a step in Python


def read_repaired(kind: type[M], raw: bytes) -> M:
    """Return a message with its invalid texts repaired. Raise DecodeError when anything else is wrong."""
    found: M = kind.FromString(_Repairer().of(raw, kind.DESCRIPTOR, 0))
    return found


class _Repairer:
    """Repairs one record, with one field counter for all depths."""

    def __init__(self) -> None:
        self._left = MAX_FIELDS

    def of(self, raw: bytes, descriptor: Descriptor, depth: int) -> bytes:
        """Return the message with every text in UTF-8 and the lengths corrected."""
        if depth > MAX_DEPTH:
            raise DecodeError("nested too deep")
        fields = descriptor.fields_by_number
        chunks: list[bytes] = []
        copied = at = 0  # everything before `copied` is in `chunks`
        while at < len(raw):
            self._count()
            key, at = _varint(raw, at)
            if key & 7 != DELIMITED:
                at = _varint(raw, at)[1] if not key & 7 else at + _width(key & 7)
                continue
            length_at = at
            length, at = _varint(raw, at)
            end = at + length
            if end > len(raw):
                raise DecodeError("truncated")
            value = raw[at:end]
            repaired = self._repaired_value(value, fields.get(key >> 3), depth)
            if repaired != value:
                chunks += (raw[copied:length_at], _encoded(len(repaired)), repaired)
                copied = end
            at = end
        return b"".join((*chunks, raw[copied:])) if chunks else raw

    def _repaired_value(self, value: bytes, field: FieldDescriptor | None, depth: int) -> bytes:
        if field is None:
            return value
        if field.type == FieldDescriptor.TYPE_STRING:
            return value.decode(errors="replace").encode()
        return self.of(value, field.message_type, depth + 1) if field.message_type is not None else value

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise DecodeError("too many fields")


def _width(wire_type: int) -> int:
    if wire_type not in WIDTHS:
        raise DecodeError("not protobuf")
    return WIDTHS[wire_type]


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(raw[at : at + MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    raise DecodeError("truncated")


def _encoded(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
