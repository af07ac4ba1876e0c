"""The file that records the newest commit outside the database and its write-ahead log.

The file has two slots, each with a checksum, that are written alternately: an interrupted write leaves the previous
slot intact. The slot is written after every commit, so it survives a killed process. It is synced to the disk at most
once a second. After a power failure the file may therefore be older than the database, but never newer.
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

from monitor.domain.audit import START, Head
from monitor.errors import ConfigError

log = logging.getLogger(__name__)
SLOT: Final = 512  # bytes: one sector, which a disk writes atomically
SYNC_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The newest commit of a database: the number of commits, the number of rows they changed, the time of the last
    one, and the number and the hash of the newest entry of the audit log.
    """

    database_id: str
    commits: int
    changed_rows: int
    last_at: datetime
    audit_number: int = START.number
    audit_hash: str = START.hash

    @property
    def audit_head(self) -> Head:
        return Head(number=self.audit_number, hash=self.audit_hash)


def mark_of(path: Path) -> Path:
    """Return the path of the mark file of the database at `path`."""
    return path.with_name(path.name + ".mark")


def read_mark(path: Path) -> Mark | None:
    """Return the newest mark of the database at `path`; None when no mark can be read."""
    try:
        content = mark_of(path).read_bytes()
    except OSError:
        return None
    found = [_parse(content[n * SLOT : (n + 1) * SLOT]) for n in range(2)]
    return max((mark for mark in found if mark is not None), key=lambda mark: mark.commits, default=None)


class MarkFile:
    """The open mark file. Only the thread that holds the write lock of the store writes it."""

    def __init__(self, path: Path) -> None:
        place = mark_of(path)
        try:
            self._descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"store.path: {place} cannot be written: {error.strerror}") from error
        self._place, self._synced_s = place, -SYNC_S
        self._failed = self._closed = False

    def reset(self, mark: Mark) -> None:
        """Write `mark` to both slots and sync the file and its folder."""
        os.pwrite(self._descriptor, _slot(mark) * 2, 0)
        os.fsync(self._descriptor)
        folder = os.open(self._place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def write(self, mark: Mark) -> None:
        """Record a commit. Never raises: the commit succeeded, and an older mark reports no false loss."""
        try:
            os.pwrite(self._descriptor, _slot(mark), mark.commits % 2 * SLOT)
            if (now_s := monotonic()) - self._synced_s >= SYNC_S:
                os.fdatasync(self._descriptor)
                self._synced_s = now_s
            self._failed = False
        except OSError as error:
            if not self._failed:
                log.warning(
                    "%s cannot be written now: %s; a loss of rows may stay undetected", self._place, error.strerror
                )
            self._failed = True

    def close(self) -> None:
        """Sync the newest mark to the disk. A second call does nothing."""
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
