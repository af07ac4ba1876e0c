"""Split protobuf into records before parsing.

A broken record affects only itself, and the number of records is limited.
"""

from collections.abc import Iterator
from itertools import count

from monitor.errors import MalformedRecord
from monitor.ingest.http.body import MAX_RECORDS, too_many_records

VARINT, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5
MAX_VARINT_BYTES = 10


class Frames:
    """The length-delimited fields of a message, level by level. Raise TooLarge when a request has too many."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._counter = count(1)

    def of(self, message: bytes, number: int) -> Iterator[bytes]:
        """Yield the content of every field `number`. Raise MalformedRecord when the bytes are not a message."""
        at = 0
        while at < len(message):
            key, at = self._varint(message, at)
            start, end = self._value_range(message, key & 7, at)
            if key >> 3 == number and key & 7 == DELIMITED:
                if next(self._counter) > MAX_RECORDS:
                    raise too_many_records()
                yield message[start:end]
            at = end

    def count_fields(self, message: bytes) -> None:
        """Count every field of a message towards the limit without reading it."""
        at = 0
        while at < len(message):
            key, at = self._varint(message, at)
            _, at = self._value_range(message, key & 7, at)
            if next(self._counter) > MAX_RECORDS:
                raise too_many_records()

    def _value_range(self, message: bytes, wire_type: int, at: int) -> tuple[int, int]:
        """Return the start and the end of a field's value."""
        if wire_type == DELIMITED:
            length, at = self._varint(message, at)
            end = at + length
        elif wire_type == VARINT:
            _, end = self._varint(message, at)
        elif wire_type in (EIGHT_BYTES, FOUR_BYTES):
            end = at + (8 if wire_type == EIGHT_BYTES else 4)
        else:
            raise self._malformed()
        if end > len(message):
            raise self._malformed()
        return at, end

    def _varint(self, message: bytes, at: int) -> tuple[int, int]:
        if at + 1 < len(message):  # fast path: nearly all are one or two bytes
            low, high = message[at], message[at + 1]
            if low < 0x80:
                return low, at + 1
            if high < 0x80:
                return high << 7 | low & 0x7F, at + 2
        value = 0
        for i, byte in enumerate(message[at : at + MAX_VARINT_BYTES]):
            value |= (byte & 0x7F) << (7 * i)
            if byte < 0x80:
                return value, at + i + 1
        raise self._malformed()

    def _malformed(self) -> MalformedRecord:
        return MalformedRecord(f"the body is not a protobuf {self._what}")
