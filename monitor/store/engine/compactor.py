"""Compacts the open file: copies it during reads and writes, then blocks all access and replaces the file."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from monitor.clock import Clock
from monitor.errors import StoreUnavailable
from monitor.store.engine import compact_files
from monitor.store.engine.change_log import Journal
from monitor.store.engine.commit_mark import Mark
from monitor.store.engine.connections import Cursors
from monitor.store.engine.copy import Copy
from monitor.store.engine.transaction import Tx
from monitor.store.engine.watermark import mark_in
from monitor.store.engine.write_lock import WriteLock

SWAP_WAIT_S: Final = 1.0  # how long open reads may block the replacement, while writes and other reads wait
SWAP_PAUSE_S: Final = 5.0  # the longest pause between two attempts, during which reads and writes continue
SWAP_TRIES: Final = 60  # attempts before the compaction fails


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedRows:
    """What a copy of the database contains: the number of rows by table, and the newest commit."""

    tables: Mapping[str, int]
    mark: Mark


class Compactor:
    """Implements `Store.compact` and `Store.copy_to`."""

    def __init__(self, path: Path, cursors: Cursors, writes: WriteLock, *, memory_limit_mb: int, clock: Clock) -> None:
        self._path, self._cursors, self._writes = path, cursors, writes
        self._memory_limit_mb, self._clock = memory_limit_mb, clock
        self.lock = threading.Lock()  # one compaction or copy at a time; taken before the write lock
        self.blocks_writes = False  # writes wait for the replacement
        # Protected by cursors.users:
        self._copying: duckdb.DuckDBPyConnection | None = None  # the cursor of a running copy
        self._abandoned = False  # driftd stops: the running copy ends, and no other starts

    def compact(self, finish: Callable[[Tx], None]) -> None:
        with self.lock:
            try:
                with ExitStack() as held:
                    with self._copy(compact_files.copy_of(self._path), "compacted") as copy:
                        with self._writes.lock:
                            self._writes.journal = journal = Journal(self._path)
                            copy.begin()
                        copy.copy_rows()
                        copy.write(finish)
                        copy.catch_up(journal, self._writes.lock)
                        held.push(self._exclusive(copy, journal))
                        copy.follow(journal)
                        copy.complete()
                    self._cursors.replace_file()
                    self._writes.unsaved = True
            finally:
                self._end_journal()
                compact_files.remove_copy(self._path)

    def copy_to(self, target: Path, *, keep_free: int) -> CopiedRows:
        with self.lock:
            try:
                with self._copy(target, "copied", keep_free) as copy:
                    with self._writes.lock:  # the snapshot contains whole commits, with their watermark
                        copy.begin()
                    tables = copy.copy_rows()
                    mark = mark_in(copy.read())
                    copy.save()
            except BaseException:
                compact_files.remove_database(target)
                raise
        assert mark is not None, "an open store has a watermark"
        return CopiedRows(tables=tables, mark=mark)

    @contextmanager
    def snapshot(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with (
            self.lock,
            self._cursors.unavailable_errors("exported"),
            self._cursors.lend() as cursor,
            self._interruptible(cursor, "exported"),
        ):
            with self._writes.lock:  # the snapshot contains whole commits
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                cursor.execute("SELECT count(*) FROM watermark").fetchall()  # a snapshot starts with the first read
            try:
                yield cursor
            finally:
                with suppress(duckdb.Error):
                    cursor.execute("ROLLBACK")

    def abandon(self) -> None:
        """End a running compaction or copy without effect, and prevent the next one."""
        with self._cursors.users:
            self._abandoned = True
            self._cursors.users.notify_all()
            if self._copying is not None:
                self._copying.interrupt()  # a long statement; the flag is checked between two statements

    def _raise_if_abandoned(self) -> None:
        if self._abandoned:
            raise StoreUnavailable(f"{self._path} cannot be copied now: driftd is stopping")

    @contextmanager
    def _copy(self, target: Path, what: str, keep_free: int = 0) -> Iterator[Copy]:
        with (
            self._cursors.unavailable_errors(what),
            self._cursors.lend() as cursor,
            self._interruptible(cursor, what),
            closing(
                Copy(
                    cursor,
                    self._path,
                    target,
                    memory_limit_mb=self._memory_limit_mb,
                    clock=self._clock,
                    check_abandoned=self._raise_if_abandoned,
                    keep_free=keep_free,
                )
            ) as copy,
        ):
            yield copy

    @contextmanager
    def _interruptible(self, cursor: duckdb.DuckDBPyConnection, what: str) -> Iterator[None]:
        with self._cursors.users:
            self._copying = cursor
        try:
            yield
        except (duckdb.InterruptException, duckdb.TransactionException, OSError) as error:
            raise StoreUnavailable(f"{self._path} cannot be {what} now: {error}") from error
        finally:
            with self._cursors.users:
                self._copying = None

    def _exclusive(self, copy: Copy, journal: Journal) -> ExitStack:
        """Block reads and writes until the returned stack is closed. Only the cursor of the copy is open then."""
        users = self._cursors.users
        for _ in range(SWAP_TRIES):
            with ExitStack() as held:
                held.enter_context(self._block_writes())
                if held.enter_context(self._cursors.held(SWAP_WAIT_S)):
                    return held.pop_all()
            with users:
                users.wait_for(lambda: self._abandoned or self._cursors.has_one_user, timeout=SWAP_PAUSE_S)
            self._raise_if_abandoned()
            copy.follow(journal)
        raise StoreUnavailable(f"{self._path} was read during every attempt to replace it; the compaction is retried")

    @contextmanager
    def _block_writes(self) -> Iterator[None]:
        with self._writes.lock:
            self.blocks_writes = True
            try:
                yield
            finally:
                self.blocks_writes = False

    def _end_journal(self) -> None:
        with self._writes.lock:
            if self._writes.journal is not None:
                self._writes.journal.close()
                self._writes.journal = None
