"""Texts that are not valid UTF-8 in a protobuf record: each is read with replacement characters.

Only records that protobuf's own parser refuses come here, so the usual path pays nothing.
"""

from typing import Final, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor  # type: ignore[import-untyped]  # ships no types
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]  # as above

M = TypeVar("M", bound=Message)
DELIMITED: Final = 2
WIDTHS: Final = {1: 8, 5: 4}  # bytes of a value by its wire type
MAX_DEPTH: Final = 100  # messages in messages, as protobuf's parser allows
MAX_VARINT_BYTES: Final = 10
MAX_FIELDS: Final = 200_000  # at all depths of one record: each costs a step in Python


def read_repaired(kind: type[M], raw: bytes) -> M:
    """Read a message whose texts may be no UTF-8; DecodeError when something else is wrong with it."""
    found: M = kind.FromString(_Repairer().of(raw, kind.DESCRIPTOR, 0))
    return found


class _Repairer:
    """Of one record, whose fields are counted at all depths."""

    def __init__(self) -> None:
        self._left = MAX_FIELDS

    def of(self, raw: bytes, descriptor: Descriptor, depth: int) -> bytes:
        """The message with every text in UTF-8, and the lengths that follow from it."""
        if depth > MAX_DEPTH:
            raise DecodeError("nested too deep")
        fields = descriptor.fields_by_number
        chunks: list[bytes] = []
        copied = at = 0  # everything before `copied` is in the pieces
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
                raise DecodeError("cut short")
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
            raise DecodeError("more fields than are looked at")


def _width(wire_type: int) -> int:
    if wire_type not in WIDTHS:
        raise DecodeError("no protobuf")
    return WIDTHS[wire_type]


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(raw[at : at + MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    raise DecodeError("cut short")


def _encoded(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
