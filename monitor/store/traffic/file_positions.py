"""The read position of a file. It is stored in the transaction of the rows, until the whole file is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMove:
    """A part of a file that was read: record numbers from `before` (exclusive) to `after` (inclusive).

    `offset` is the start of the next record; `whole` means that there is none.
    """

    digest: str
    before: int
    after: int
    offset: int
    whole: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePosition:
    """A read position: the next record starts at `read_to`, and `records` are read."""

    read_to: int
    records: int


def position_of(tx: Tx, digest: str) -> FilePosition | None:
    """Return the read position; None for a file that is not started, or completely read."""
    row = tx.one("file_position_of", digest=digest)
    return FilePosition(**row) if row else None


def move(tx: Tx, moves: Sequence[FileMove]) -> None:
    """Store new read positions, in a lake at the end of the write. A move that does not start at the stored position
    is ignored: the file is read from there.
    """
    if tx.positions is not None:
        tx.positions.move_files(moves)
    else:
        store(tx, moves)


def store(tx: Tx, moves: Sequence[FileMove]) -> None:
    """Store new read positions with statements of the transaction."""
    for one in moves:
        if one.whole or one.before == 0:
            tx.execute("forget_file_position", digest=one.digest)
        if one.whole:
            continue
        place = {"digest": one.digest, "read_to": one.offset, "records": one.after, "at": one.at}
        if one.before == 0:
            tx.execute("insert_file_position", **place)
        else:
            tx.execute("move_file_position", **place, before=one.before)
