"""The bytes of a file, unpacked when it is packed with gzip or zstd, and read with bounded memory."""

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
    """A file at the beginning. Reads may raise what `told` turns into a UsageError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with told(path):
            self._file = path.open("rb")
        self.total = os.fstat(self._file.fileno()).st_size
        self.plain = _unpacked(self._file)
        self._is_packed = self.plain is not self._file

    @property
    def done(self) -> int:
        """Bytes of the file itself that are read."""
        return self._file.tell()

    def lead(self, size: int) -> bytes:
        """How it begins when it is unpacked; they are not read by that."""
        with told(self._path):
            return self.plain.peek(size)[:size]

    def skip(self, offset: int) -> None:
        """Go to an offset of what is unpacked. A packed file is unpacked up to there, and nothing is done with it."""
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
        import pyarrow as pa  # a file that is not packed does without

        return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"), PIECE)
    return file


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the system or an unpacker says of a file, as a sentence."""
    try:
        yield
    except EOFError:
        raise UsageError(f"{path} cannot be read on: it ends early; what came before is stored") from None
    except (OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
