"""What belongs to a commit of the lake: the read positions of the sources of its rows, deferred statements, and the
term of the lease of its writer.

DuckLake stores a commit as one transaction of PostgreSQL. A trigger there (`sql/lake/fence.sql`) reads them from the
message of the commit. It refuses the commit when a source is at another position, or when the term is over.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

import duckdb

from monitor.store.engine.transaction import Tx
from monitor.store.lake.deferred import Deferred
from monitor.store.lake.lease import Term
from monitor.store.lake.literal import literal
from monitor.store.traffic import file_positions, source_positions
from monitor.store.traffic.file_positions import FileMove
from monitor.store.traffic.source_positions import OffsetMove, joined_moves, offset_conflict

REFUSED: Final = "driftd position:"  # how the errors of the trigger begin


class MovesAtCommit:
    """The moves of one write."""

    def __init__(self) -> None:
        self._offsets: list[OffsetMove] = []
        self._files: list[FileMove] = []

    @property
    def pending(self) -> bool:
        return bool(self._offsets or self._files)

    def move_offsets(self, moves: Sequence[OffsetMove]) -> None:
        self._offsets = joined_moves([*self._offsets, *moves])

    def move_files(self, moves: Sequence[FileMove]) -> None:
        self._files += moves

    def document(self) -> dict[str, Any]:
        """Return the moves for the message of a commit."""
        return {"offsets": [asdict(one) for one in self._offsets], "files": [asdict(one) for one in self._files]}

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Raise OffsetConflict when the trigger refuses the commit."""
        try:
            yield
        except duckdb.Error as error:
            if REFUSED not in str(error):
                raise
            raise offset_conflict(self._offsets) from error

    def done(self) -> None:
        self._offsets, self._files = [], []

    def store(self, tx: Tx) -> None:
        """Store the moves with statements: without new rows, the lake has no commit."""
        source_positions.store(tx, self._offsets)
        file_positions.store(tx, self._files)
        self.done()


def announce(
    cursor: duckdb.DuckDBPyConnection, moves: MovesAtCommit, deferred: Sequence[Deferred], term: Term | None
) -> None:
    """Add moves, deferred statements and the term of a lease to the next commit of the lake."""
    set_message(cursor, "write", term, **moves.document(), deferred=[asdict(one) for one in deferred])


def set_message(cursor: duckdb.DuckDBPyConnection, purpose: str, term: Term | None, **more: Any) -> None:
    """Let the trigger of the next commit require the term of a lease, and store what is in `more` (`fence.sql`)."""
    message = {"leases": [] if term is None else [asdict(term)], **more}
    text = literal(json.dumps(message, default=lambda at: at.isoformat()))
    cursor.execute(f"CALL lake.set_commit_message('driftd', {literal(purpose)}, extra_info => {text})")
