"""Read a file with bounded memory, and decompress gzip and zstd."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.errors import UsageError

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
PIECE = 1024 * 1024


class Stream:
    """A file at its beginning. `as_usage_errors` turns the errors of its reads into a UsageError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with as_usage_errors(path):
            self._file = path.open("rb")
        self.total = os.fstat(self._file.fileno()).st_size
        self.plain = _unpacked(self._file)
        self._is_packed = self.plain is not self._file

    @property
    def done(self) -> int:
        """The number of compressed bytes read."""
        return self._file.tell()

    def lead(self, size: int) -> bytes:
        """Return the first decompressed bytes without reading past them."""
        with as_usage_errors(self._path):
            return self.plain.peek(size)[:size]

    def skip(self, offset: int) -> None:
        """Go to an offset of the decompressed bytes. A compressed file is decompressed up to it."""
        if not self._is_packed:
            self.plain.seek(offset)
            return
        while offset > 0 and (got := self.plain.read(min(offset, PIECE))):
            offset -= len(got)

    def close(self) -> None:
        self.plain.close()
        self._file.close()


def _unpacked(file: io.BufferedReader) -> io.BufferedReader | gzip.GzipFile:
    lead = file.peek(len(ZSTD))
    if lead.startswith(GZIP):
        return gzip.GzipFile(fileobj=file)
    if lead.startswith(ZSTD):
        import pyarrow as pa  # only a compressed file needs it

        return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"), PIECE)
    return file


@contextmanager
def as_usage_errors(path: Path) -> Iterator[None]:
    """Raise the errors of the system and of decompression as UsageError."""
    try:
        yield
    except EOFError:
        raise UsageError(f"{path} cannot be read further: it ends early; the records before are stored") from None
    except (OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
