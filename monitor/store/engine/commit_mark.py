"""The file that records the newest commit outside the database and its write-ahead log.

Two slots are written in turn, each with a checksum: a write that is cut short leaves the slot before. Each commit is
written at once, so that a killed process leaves it; it is forced to the disk once a second at most. After a power
failure the file may therefore be behind the database, never ahead of it.
"""

import json
import logging
import os
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Final

from monitor.errors import ConfigError

log = logging.getLogger(__name__)
SLOT: Final = 512  # bytes: a sector, which a disk writes whole or not at all
SYNC_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The newest commit of a database: the number of those so far, of the rows they changed, and when it was made."""

    database_id: str
    commits: int
    changed_rows: int
    last_at: datetime


def mark_of(path: Path) -> Path:
    """Return where the mark of the database at `path` is kept."""
    return path.with_name(path.name + ".mark")


def read_mark(path: Path) -> Mark | None:
    """Return the newest mark of the database at `path`; None when there is none that can be read."""
    try:
        content = mark_of(path).read_bytes()
    except OSError:
        return None
    found = [_parse(content[n * SLOT : (n + 1) * SLOT]) for n in range(2)]
    return max((mark for mark in found if mark is not None), key=lambda mark: mark.commits, default=None)


class MarkFile:
    """The open file. Only one thread at a time writes: the one that holds the write lock of the store."""

    def __init__(self, path: Path) -> None:
        place = mark_of(path)
        try:
            self._descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"store.path: {place} cannot be written: {error.strerror}") from error
        self._place, self._synced_s = place, -SYNC_S
        self._failed = self._closed = False

    def reset(self, mark: Mark) -> None:
        """Make `mark` the only one, on disk when this returns; also the name of the file."""
        os.pwrite(self._descriptor, _slot(mark) * 2, 0)
        os.fsync(self._descriptor)
        folder = os.open(self._place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def write(self, mark: Mark) -> None:
        """Record a commit. It raises nothing: the commit is made, and a mark that is behind finds no false loss."""
        try:
            os.pwrite(self._descriptor, _slot(mark), mark.commits % 2 * SLOT)
            if (now_s := monotonic()) - self._synced_s >= SYNC_S:
                os.fdatasync(self._descriptor)
                self._synced_s = now_s
            self._failed = False
        except OSError as error:
            if not self._failed:
                log.warning(
                    "%s cannot be written now: %s; a loss of rows may go unnoticed", self._place, error.strerror
                )
            self._failed = True

    def close(self) -> None:
        """Force the newest mark to the disk; closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        with suppress(OSError):
            os.fdatasync(self._descriptor)
        os.close(self._descriptor)


def _slot(mark: Mark) -> bytes:
    text = json.dumps(asdict(mark) | {"last_at": mark.last_at.isoformat()}).encode()
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n".ljust(SLOT - 9 - len(text))


def _parse(slot: bytes) -> Mark | None:
    checksum, _, text = slot.rstrip().partition(b" ")
    if not text or checksum != f"{zlib.crc32(text):08x}".encode():
        return None
    fields = json.loads(text)
    return Mark(**fields | {"last_at": datetime.fromisoformat(fields["last_at"])})
