"""Text files with one record for each line."""

from collections.abc import Iterator
from pathlib import Path

from monitor.ingest.files.base import MAX_RECORD_BYTES, FileOffset, FileRecord, Unit
from monitor.ingest.files.compression import Stream, as_usage_errors


class Lines:
    """Empty lines have a number and no record."""

    unit = Unit.LINE

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
            while line := self._stream.plain.readline(self._max_bytes + 1):
                number += 1
                offset += len(line)
                if len(line) > self._max_bytes:
                    offset += self._rest(line)
                    yield FileRecord(raw=None, end=FileOffset(offset=offset, number=number))
                elif line.strip():
                    yield FileRecord(raw=line.rstrip(b"\r\n"), end=FileOffset(offset=offset, number=number))

    def close(self) -> None:
        self._stream.close()

    def _rest(self, line: bytes) -> int:
        """Skip the rest of a line above the size limit, and return its bytes."""
        passed = 0
        while line and not line.endswith(b"\n"):
            line = self._stream.plain.readline(self._max_bytes)
            passed += len(line)
        return passed
