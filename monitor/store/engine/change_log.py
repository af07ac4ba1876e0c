"""The journal of a compaction: every change that is committed during the copy, in order, to be applied to the copy."""

import os
import tempfile
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from monitor.errors import StoreUnavailable
from monitor.store.engine.transaction import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A `change` without its batch. The batch starts at `start` in the journal file; `length` 0 means no batch."""

    change: Change
    start: int
    length: int


class Journal:
    """A queue of transactions, the oldest first. Their rows are in an unnamed file that disappears with the process.

    One thread adds and one other thread takes. When the disk is full, the journal fails, but the write does not.
    """

    def __init__(self, path: Path) -> None:
        """Create the file next to the database at `path`. Raises StoreUnavailable when it cannot be created."""
        self._path = path
        try:
            self._file = tempfile.TemporaryFile(dir=path.parent, buffering=0)  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be compacted now: {error.strerror}") from error
        self._end = 0
        self._transactions: deque[tuple[_Entry, ...]] = deque()
        self._broken: str | None = None

    def __len__(self) -> int:
        """Return the number of transactions that are not taken yet."""
        return len(self._transactions)

    def add(self, changes: Sequence[Change]) -> None:
        """Record a committed transaction. Never raises: `require_complete` reports a transaction that could not be
        recorded.
        """
        if self._broken is not None or not changes:
            return
        try:
            self._transactions.append(tuple(self._keep(change) for change in changes))
        except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
            self._broken = str(error)

    def take(self) -> list[Change]:
        """Return the changes of the oldest transaction, and remove it from the journal."""
        return [self._read(kept) for kept in self._transactions.popleft()]

    def require_complete(self) -> None:
        """Raise StoreUnavailable when a transaction could not be recorded, because the copy would be incomplete."""
        if self._broken is not None:
            raise StoreUnavailable(
                f"{self._path} cannot be compacted now: changes during the copy could not be recorded: {self._broken}"
            )

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()

    def _keep(self, change: Change) -> _Entry:
        if change.batch is None:
            return _Entry(change=change, start=self._end, length=0)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, change.batch.schema) as stream:
            stream.write_table(change.batch)
        rows, start, written = memoryview(sink.getvalue()), self._end, 0
        while written < len(rows):
            written += os.pwrite(self._file.fileno(), rows[written:], start + written)
        self._end = start + written
        return _Entry(change=replace(change, batch=None), start=start, length=written)

    def _read(self, kept: _Entry) -> Change:
        if not kept.length:
            return kept.change
        rows = bytearray()
        while len(rows) < kept.length:
            piece = os.pread(self._file.fileno(), kept.length - len(rows), kept.start + len(rows))
            if not piece:
                raise RuntimeError(f"the journal of {self._path} ends within a transaction")
            rows += piece
        return replace(kept.change, batch=pa.ipc.open_stream(pa.py_buffer(rows)).read_all())
