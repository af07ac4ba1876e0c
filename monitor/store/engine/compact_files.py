"""The files of a compaction: where the new one is written, whether it has room, how it takes the old one's place."""

import os
import shutil
from pathlib import Path
from typing import Final

from monitor.errors import StoreUnavailable
from monitor.store.engine.connect import log_of

SPARE_BYTES: Final = 16 * 2**20  # what the new file may need beyond the blocks in use, and what is written meanwhile


def copy_of(path: Path) -> Path:
    """Where the new file of `path` is written: beside it, for a rename must not leave the file system."""
    return path.with_name(path.name + ".compact")


def remove_copy(path: Path) -> None:
    """Remove an unfinished copy. Only for the owner of the file: another process would be robbed of its work."""
    for left in (copy_of(path), log_of(copy_of(path))):
        left.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what a killed process left: an unfinished copy, and the rows that DuckDB had put out of memory.

    Only after opening the file, which makes its owner, and before the first query.
    """
    remove_copy(path)
    for suffix in (".rewrite", ".rewrite.wal"):  # the name of a copy before schema version 29
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)


def replace_with_copy(path: Path) -> None:
    """The copy becomes the file, in one step. The old file must be closed.

    Its log must be gone by then: found beside the new file, it would be applied to it.
    """
    if size(log_of(path)):
        raise StoreUnavailable(f"{path} has not taken its log in; the compaction is tried again")
    log_of(path).unlink(missing_ok=True)
    sync(path.parent)
    copy_of(path).replace(path)
    sync(path.parent)


def require_space(path: Path, bytes_used: int) -> None:
    """Refuse at once what would fill the disk, and stop the writes of others with it. The file uses `bytes_used`."""
    needed = bytes_used + size(log_of(path)) + SPARE_BYTES
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreUnavailable(
            f"{path} cannot be compacted now: that needs {needed / 2**20:.0f} MiB beside it and "
            f"{free / 2**20:.0f} MiB are free; make room on its disk"
        )


def size(path: Path) -> int:
    """In bytes; what is not there has none."""
    return path.stat().st_size if path.exists() else 0


def sync(path: Path) -> None:
    """On disk, not only in the system's memory; of a folder, the names in it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
