"""The backups of a running daemon: a consistent copy of the database in a folder of its own, sent in chunks.

DuckDB does not document that the bytes of an open database can be copied. It does guarantee that a transaction reads
one snapshot. So the copy is a new database that contains every row of one snapshot, and its bytes do not change.
"""

import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

import duckdb

from monitor.clock import Clock
from monitor.domain.run import new_id
from monitor.errors import Conflict, DriftdError, NotFound, unknown
from monitor.store.backup import manifest as manifests
from monitor.store.backup import parquet
from monitor.store.backup.layout import Folder
from monitor.store.backup.manifest import CHUNK_BYTES, DATABASE, PARQUET, Manifest
from monitor.store.backup.transfer import read_chunk
from monitor.store.engine.commit_mark import MarkFile, mark_of
from monitor.store.engine.compactor import CopiedRows
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.migrations import known_migrations

KEPT: Final = timedelta(hours=1)  # a copy that is not read for this time is removed
BUSY: Final = timedelta(minutes=2)  # a copy that was read within this time is not replaced by another one


class BackupState(StrEnum):
    COPYING = "copying"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is copied: the database, or the rows of `tables` since a time as Parquet. Without tables, all of them."""

    kind: str = DATABASE
    tables: tuple[str, ...] = ()
    since: datetime | None = None


WHOLE: Final = Order()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """An ordered backup. `manifest` is there when it is ready, `error` when it failed."""

    id: str
    who: str
    order: Order
    ordered_at: datetime
    used_at: datetime
    state: BackupState = BackupState.COPYING
    manifest: Manifest | None = None
    error: str | None = None


class Backups:
    """At most one backup at a time, in `folder`. It does not survive the process: its snapshot is in no table."""

    def __init__(
        self, store: FileStore, folder: Path, clock: Clock, code_version: str, *, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        """Remove what an earlier process left in `folder`, which belongs to the owner of the database."""
        self._store, self._folder, self._clock, self._code_version = store, folder, clock, code_version
        self._chunk_bytes = chunk_bytes
        self._lock = threading.Lock()  # protects _current
        self._current: Backup | None = None
        shutil.rmtree(folder, ignore_errors=True)

    def order(self, who: str, order: Order = WHOLE) -> Backup:
        """Order a backup; `run_ordered` makes it. The same sender gets the backup that is being copied, or a new one.

        Raises Conflict while the backup of another sender is made or read.
        """
        now = self._clock.now()
        with self._lock:
            current = self._current
            copying = current is not None and current.state is BackupState.COPYING
            if current is not None and (current.who, current.order) == (who, order) and copying:
                return current
            in_use = current is not None and current.state is BackupState.READY and now - current.used_at < BUSY
            if current is not None and (copying or (in_use and current.who != who)):
                raise Conflict(
                    f"backup {current.id!r} of {current.who} is {current.state.value} and in use; "
                    f"try again when it is complete, or {BUSY.total_seconds():.0f} s after its last read"
                )
            backup = self._current = Backup(
                id=new_id("backup" if order.kind == DATABASE else "export", now),
                who=who,
                order=order,
                ordered_at=now,
                used_at=now,
            )
        return backup

    def get(self, backup_id: str) -> Backup:
        """Return the backup. Raises NotFound when the daemon does not have it (any more)."""
        with self._lock:
            current = self._current
            if current is None or current.id != backup_id:
                raise NotFound(
                    f"backup {backup_id!r} is unknown: the daemon was restarted, or its copy was not read for "
                    f"{KEPT.total_seconds() / 60:.0f} minutes or was replaced by a newer backup; order a new one"
                )
            current = self._current = replace(current, used_at=self._clock.now())
        return current

    def chunk(self, backup_id: str, number: int) -> bytes:
        """Return a chunk of a backup that is ready."""
        backup = self.get(backup_id)
        chunks = () if backup.manifest is None else tuple(backup.manifest.chunks())
        if not 0 <= number < len(chunks):
            raise NotFound(f"backup {backup_id!r} ({backup.state.value}) has no chunk {number}")
        return read_chunk(Folder(self._place(backup_id)), chunks[number])

    def discard(self, backup_id: str) -> Backup:
        """Remove the copy of a backup that was read, so that its space is free."""
        backup = self.get(backup_id)
        if backup.state is BackupState.COPYING:
            raise Conflict(f"backup {backup_id!r} is being copied; discard it when it is ready")
        with self._lock:
            self._current = None
        shutil.rmtree(self._place(backup_id), ignore_errors=True)
        return backup

    def run_ordered(self) -> int:
        """Make the ordered backup, and remove a copy that no one reads. Return 1 when a backup was made."""
        now = self._clock.now()
        with self._lock:
            current = self._current
            if current is not None and current.state is not BackupState.COPYING and now - current.used_at >= KEPT:
                current = self._current = None
        if current is None or current.state is not BackupState.COPYING:
            if current is None:
                shutil.rmtree(self._folder, ignore_errors=True)
            return 0
        self._finish(current, self._made)
        return 1

    def close(self) -> None:
        """Remove the copy."""
        with self._lock:
            self._current = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _finish(self, backup: Backup, make: Callable[[Backup], Manifest]) -> None:
        try:
            backup = replace(backup, state=BackupState.READY, manifest=make(backup))
        except (DriftdError, OSError) as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            backup = replace(backup, state=BackupState.FAILED, error=str(error))
        with self._lock:
            self._current = replace(backup, used_at=self._clock.now())

    def _made(self, backup: Backup) -> Manifest:
        shutil.rmtree(self._folder, ignore_errors=True)
        place = self._place(backup.id)
        place.mkdir(parents=True, mode=0o700)
        made, names = self._exported(backup, place) if backup.order.kind == PARQUET else self._copied(place)
        return Manifest(
            id=backup.id,
            kind=backup.order.kind,
            since=backup.order.since,
            created_at=backup.ordered_at,
            driftd=self._code_version,
            duckdb=duckdb.__version__,
            schema_version=known_migrations()[-1].version,
            audit_head=str(made.mark.audit_head),
            tables=dict(sorted(made.tables.items())),
            files=manifests.describe(place, names, self._chunk_bytes),
            chunk_bytes=self._chunk_bytes,
        ).sealed()

    def _copied(self, place: Path) -> tuple[CopiedRows, Sequence[str]]:
        target = place / self._store.path.name
        copied = self._store.copy_to(target)
        mark = MarkFile(target)
        try:
            mark.reset(copied.mark)
        finally:
            mark.close()
        return copied, (target.name, mark_of(target).name)

    def _exported(self, backup: Backup, place: Path) -> tuple[parquet.ExportedRows, Sequence[str]]:
        known = parquet.exported_tables(self._store.table_names())
        for table in backup.order.tables:
            if table not in known:
                raise unknown("table", table, known)
        with self._store.snapshot() as cursor:
            exported = parquet.export(cursor, place, backup.order.tables or known, backup.order.since)
        return exported, [table + parquet.SUFFIX for table in exported.tables]

    def _place(self, backup_id: str) -> Path:
        return self._folder / backup_id
