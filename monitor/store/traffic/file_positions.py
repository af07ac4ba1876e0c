"""How far a file has been read: stored in the transaction of the rows that were read, until the file is read whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMove:
    """A piece of a file was read, `before` exclusive to `after` inclusive, as numbers of records.

    `offset` is where the next record begins, `whole` says that there is none.
    """

    digest: str
    before: int
    after: int
    offset: int
    whole: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePosition:
    """The next record begins at `read_to`; `records` have been read."""

    read_to: int
    records: int


def position_of(tx: Tx, digest: str) -> FilePosition | None:
    """None for a file that nobody began, or that was read whole."""
    row = tx.one("file_position_of", digest=digest)
    return FilePosition(**row) if row else None


def move(tx: Tx, moves: Iterable[FileMove]) -> None:
    """One that does not begin where the file was read to moves nothing: the file is read on from there again."""
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
