"""Length-delimited messages: the Collector's file exporter writes them as `proto`, or when it compresses.

Each message follows its length, four bytes in big-endian order. With `compression: zstd` every message is compressed on
its own. Source: README of the fileexporter in opentelemetry-collector-contrib.
"""

from collections.abc import Iterator
from pathlib import Path

from monitor.errors import MalformedRecord, UsageError
from monitor.ingest.files.base import MAX_RECORD_BYTES, FileOffset, FileRecord, Unit
from monitor.ingest.files.compression import PIECE, ZSTD, Stream, as_usage_errors

LENGTH = 4
LONGEST = 2**30  # a larger value is not a length: OTLP messages are far smaller
BEGINNINGS = (b"\n", b"{", ZSTD[:1])  # of a message: the first field of protobuf, JSON, or zstd


class Framed:
    """A message that is truncated at the end is an error: the file is still being written, or is damaged."""

    unit = Unit.MESSAGE

    def __init__(self, path: Path, stream: Stream, *, max_bytes: int = MAX_RECORD_BYTES) -> None:
        self._path = path
        self._stream = stream
        self._max_bytes = max_bytes
        self.total = stream.total

    @property
    def done(self) -> int:
        return self._stream.done

    def records(self, after: FileOffset) -> Iterator[FileRecord]:
        offset, number = after.offset, after.number
        with as_usage_errors(self._path):
            self._stream.skip(offset)
            while head := self._read(LENGTH):
                size, number = int.from_bytes(head), number + 1
                if len(head) < LENGTH or size > LONGEST:
                    raise UsageError(f"{self._path} message {number}: no message length at this position; {GO_ON}")
                raw = self._read(size) if size <= self._max_bytes else None
                if (self._pass_over(size) if raw is None else len(raw)) < size:
                    raise UsageError(f"{self._path} message {number} is truncated; {GO_ON}")
                offset += LENGTH + size
                plain = raw if raw is None else _plain(raw, self._max_bytes)
                yield FileRecord(raw=plain, end=FileOffset(offset=offset, number=number))

    def close(self) -> None:
        self._stream.close()

    def _read(self, size: int) -> bytes:
        """Return this many bytes, or fewer at the end of the file."""
        pieces = b""
        while len(pieces) < size and (got := self._stream.plain.read(size - len(pieces))):
            pieces += got
        return pieces

    def _pass_over(self, size: int) -> int:
        """Skip this many bytes of a message above the size limit, and return how many there were."""
        passed = 0
        while passed < size and (got := self._stream.plain.read(min(size - passed, PIECE))):
            passed += len(got)
        return passed


GO_ON = "the records before are stored"


def is_framed(lead: bytes) -> bool:
    """Return whether a file begins with a length and a message. The first bytes of a text would be far too large a
    length.
    """
    return 0 < int.from_bytes(lead[:LENGTH]) <= MAX_RECORD_BYTES and lead[LENGTH : LENGTH + 1] in BEGINNINGS


def _plain(raw: bytes, max_bytes: int) -> bytes | None:
    """Return the decompressed message. Return None above the limit, and the bytes unchanged when
    decompression fails.
    """
    if not raw.startswith(ZSTD):
        return raw
    from monitor.ingest.http.body import TooLarge, decompress  # only this needs Arrow

    try:
        return decompress(raw, "zstd", max_bytes)
    except TooLarge:
        return None
    except MalformedRecord:
        return raw
