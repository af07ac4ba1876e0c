"""The files of a compaction: the path of the copy, the check for free space, and the replacement of the file."""

import os
import shutil
from pathlib import Path
from typing import Final

from monitor.errors import StoreUnavailable
from monitor.store.engine.connect import log_of

SPARE_BYTES: Final = (
    16 * 2**20
)  # for the new file beyond the used blocks, and for rows that are written during the copy


def copy_of(path: Path) -> Path:
    """Return the path of the copy. It is in the folder of `path`, because a rename must stay within the file system."""
    return path.with_name(path.name + ".compact")


def remove_copy(path: Path) -> None:
    """Remove an unfinished copy. Only the process that owns the database may call this."""
    remove_database(copy_of(path))


def remove_database(path: Path) -> None:
    """Remove a database file and its write-ahead log."""
    for left in (path, log_of(path)):
        left.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove the files that a killed process left: an unfinished copy, and the rows that DuckDB spilled to disk.

    Call this after the file is opened, which makes this process the owner, and before the first query.
    """
    remove_copy(path)
    for suffix in (".rewrite", ".rewrite.wal"):  # the name of a copy before schema version 29
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)


def replace_with_copy(path: Path) -> None:
    """Replace the file with its copy atomically. The old file must be closed.

    Its write-ahead log must be empty: DuckDB would apply the log to the new file.
    """
    if size(log_of(path)):
        raise StoreUnavailable(f"the write-ahead log of {path} is not empty; the compaction is retried")
    log_of(path).unlink(missing_ok=True)
    sync(path.parent)
    copy_of(path).replace(path)
    sync(path.parent)


def require_space(path: Path, bytes_used: int, folder: Path) -> None:
    """Raise StoreUnavailable when a copy in `folder` would fill the disk. The file at `path` uses `bytes_used`."""
    needed = bytes_used + size(log_of(path)) + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise StoreUnavailable(
            f"{path} cannot be copied now: the copy needs {needed / 2**20:.0f} MiB in {folder} and "
            f"{free / 2**20:.0f} MiB are free; free space on its disk"
        )


def size(path: Path) -> int:
    """Return the size of a file in bytes, 0 when it does not exist."""
    return path.stat().st_size if path.exists() else 0


def sync(path: Path) -> None:
    """Sync a file to the disk, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
