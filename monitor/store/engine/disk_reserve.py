"""The free space that the disk of the database keeps: below it driftd stores no new records and starts no replay."""

import logging
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic as monotonic_s
from typing import Final

from monitor.errors import DiskReserveReached

log = logging.getLogger(__name__)
READ_S: Final = 0.25  # a batch of 1000 rows takes longer, and a system call for each batch of one row costs nothing
RESUME: Final = 1.25  # times the reserve; with less, a freed megabyte would start and stop the senders in turns
MIB: Final = 2**20
LEAST: Final = 1024 * MIB  # the default: log, checkpoint, alerts and the commits in flight need a tenth of it
LEAST_SHARE: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ReserveSize:
    """The size of the reserve: `bytes_`, or a `share` of the disk; with both None the smaller of 1 GiB and 5 %."""

    bytes_: int | None = None
    share: float | None = None

    def of_disk(self, total: int) -> int:
        """Return the reserve in bytes of a disk of `total` bytes.

        >>> ReserveSize().of_disk(10 * 2**30) / 2**20, ReserveSize().of_disk(500 * 2**30) / 2**20
        (512.0, 1024.0)
        """
        if self.bytes_ is not None:
            return self.bytes_
        if self.share is not None:
            return int(total * self.share)
        return min(LEAST, int(total * LEAST_SHARE))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpace:
    """The space of the disk in bytes. `reached`: fewer than `reserve` bytes were free, and not enough are again."""

    free: int
    total: int
    reserve: int
    reached: bool


class DiskReserve:
    """Reads the free space of the disk of `folder`, at most four times a second.

    The reserve is reached when less than `size` is free. It is left when a quarter more than `size` is free, or half of
    the disk above the reserve if that is less.
    """

    def __init__(
        self, folder: Path, size: ReserveSize | None = None, *, monotonic: Callable[[], float] = monotonic_s
    ) -> None:
        self._folder, self._size, self._monotonic = folder, size or ReserveSize(), monotonic
        self._lock = threading.Lock()  # protects the fields below
        self._read_s: float | None = None
        self._space = DiskSpace(free=0, total=0, reserve=0, reached=False)

    @property
    def space(self) -> DiskSpace:
        """Return the space of the disk."""
        with self._lock:
            now_s = self._monotonic()
            if self._read_s is None or not 0 <= now_s - self._read_s < READ_S:
                self._space, self._read_s = self._read(self._space), now_s
            return self._space

    @property
    def reached(self) -> bool:
        """Return whether the disk has too little space for new records."""
        return self.space.reached

    def bytes_of(self, folder: Path) -> int:
        """Return the reserve if `folder` is on the disk of the database, else 0."""
        same_disk = folder.stat().st_dev == self._folder.stat().st_dev
        return self.space.reserve if same_disk else 0

    def refusal(self) -> DiskReserveReached | None:
        """Return the error that senders get; None when there is space for their records."""
        space = self.space
        if not space.reached:
            return None
        enough = _mib(_resume_at(space.reserve, space.total))
        return DiskReserveReached(
            f"the disk of {self._folder} has {_mib(space.free)} free and keeps a reserve of {_mib(space.reserve)} "
            f"(store.disk_reserve_mb, store.disk_reserve_share); driftd stores no new records until "
            f"{enough} are free; senders must keep their records and send them again"
        )

    def require(self) -> None:
        """Raise DiskReserveReached while the disk has too little space for new records."""
        if (refusal := self.refusal()) is not None:
            raise refusal

    def _read(self, last: DiskSpace) -> DiskSpace:
        try:
            found = shutil.disk_usage(self._folder)
        except OSError as error:
            log.debug("the free space of %s cannot be read: %s", self._folder, error)
            return last
        reserve = self._size.of_disk(found.total)
        reached = found.free < (_resume_at(reserve, found.total) if last.reached else reserve)
        if reached and not last.reached:
            message = (
                "the disk of %s has %s free, less than its reserve of %s: no new records are stored, and replays wait"
            )
            log.warning(message, self._folder, _mib(found.free), _mib(reserve))
        if last.reached and not reached:
            log.info("the disk of %s has %s free: new records are stored again", self._folder, _mib(found.free))
        return DiskSpace(free=found.free, total=found.total, reserve=reserve, reached=reached)


class NoReserve:
    """The reserve of a store without a disk of its own: it is never reached."""

    space: Final = None
    reached: Final = False

    def refusal(self) -> None:
        """Return no error."""

    def require(self) -> None:
        """Raise nothing."""


def _resume_at(reserve: int, total: int) -> int:
    """Return the free space at which the reserve is left; a disk of `total` bytes can always have it.

    >>> _resume_at(100, 1000), _resume_at(900, 1000)
    (125, 950)
    """
    return min(int(reserve * RESUME), (reserve + total) // 2)


def _mib(count: int) -> str:
    return f"{count / MIB:,.0f} MiB" if count >= 10 * MIB else f"{count / MIB:.1f} MiB"
