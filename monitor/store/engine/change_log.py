"""What is written while the file is copied: every committed change in its order, to be made once more in the copy."""

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
class _Kept:
    """`change` without its batch, which stands at `start` of the journal's file; a `length` of 0 is no batch."""

    change: Change
    start: int
    length: int


class Journal:
    """Transactions, oldest first; their rows lie in a file without a name, which is gone with the process.

    One thread adds at a time, one other takes. A disk that takes no more breaks the journal and never the write.
    """

    def __init__(self, path: Path) -> None:
        """`path` is the database: the rows are kept on its disk. Raises StoreUnavailable when there is no room."""
        self._path = path
        try:
            self._file = tempfile.TemporaryFile(dir=path.parent, buffering=0)  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be compacted now: {error.strerror}") from error
        self._end = 0
        self._transactions: deque[tuple[_Kept, ...]] = deque()
        self._broken: str | None = None

    def __len__(self) -> int:
        """How many transactions are still to be taken."""
        return len(self._transactions)

    def add(self, changes: Sequence[Change]) -> None:
        """Note a committed transaction. It raises nothing: that one could not be kept is told by `require_complete`."""
        if self._broken is not None or not changes:
            return
        try:
            self._transactions.append(tuple(self._keep(change) for change in changes))
        except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
            self._broken = str(error)

    def take(self) -> list[Change]:
        """The changes of the oldest transaction."""
        return [self._read(kept) for kept in self._transactions.popleft()]

    def require_complete(self) -> None:
        """Raise StoreUnavailable when a transaction could not be kept: the copy would lack it."""
        if self._broken is not None:
            raise StoreUnavailable(
                f"{self._path} cannot be compacted now: what was written meanwhile could not be kept: {self._broken}"
            )

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()

    def _keep(self, change: Change) -> _Kept:
        if change.batch is None:
            return _Kept(change=change, start=self._end, length=0)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, change.batch.schema) as stream:
            stream.write_table(change.batch)
        rows, start, written = memoryview(sink.getvalue()), self._end, 0
        while written < len(rows):
            written += os.pwrite(self._file.fileno(), rows[written:], start + written)
        self._end = start + written
        return _Kept(change=replace(change, batch=None), start=start, length=written)

    def _read(self, kept: _Kept) -> Change:
        if not kept.length:
            return kept.change
        rows = bytearray()
        while len(rows) < kept.length:
            piece = os.pread(self._file.fileno(), kept.length - len(rows), kept.start + len(rows))
            if not piece:
                raise RuntimeError(f"the journal of {self._path} ends within a transaction")
            rows += piece
        return replace(kept.change, batch=pa.ipc.open_stream(pa.py_buffer(rows)).read_all())
