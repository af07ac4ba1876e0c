"""Restores the database of a backup into an empty folder. An interrupted restore continues when it runs again."""

import os
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from monitor.errors import SchemaTooNew, UsageError
from monitor.store.backup import parquet, transfer
from monitor.store.backup.layout import Folder, Layout
from monitor.store.backup.manifest import DATABASE, PARQUET, BackupDamaged, Manifest
from monitor.store.backup.unfinished import RESTORING
from monitor.store.engine.commit_mark import MarkFile, mark_of
from monitor.store.engine.compact_files import remove_database, sync
from monitor.store.engine.migrations import known_migrations
from monitor.store.engine.transaction import Tx
from monitor.store.engine.watermark import mark_in

DATABASE_NAME: Final = "driftd.duckdb"
WATERMARK: Final = "watermark"


def restore(manifest: Manifest, source: Layout, folder: Path, progress: Callable[[int], None]) -> Path:
    """Write the database of a backup into `folder`, and return its path.

    Until all bytes are verified the files have names that driftd does not open. Raises UsageError when the folder has
    other files, BackupDamaged when the backup was changed.
    """
    if manifest.kind != DATABASE:
        raise UsageError("this is an export; `driftd db import` reads it")
    _refuse_newer(manifest)
    _demand_empty(folder, {file.name for file in manifest.files})
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = Folder(folder, RESTORING)
    transfer.transfer(manifest, target, lambda chunk: transfer.read_chunk(source, chunk), progress)
    for file in manifest.files:
        os.truncate(target.locate(file.name)[0], file.bytes)  # the rest of a restore of a larger backup
    # The database comes last: while its name is missing, a start is refused.
    names = sorted((file.name for file in manifest.files), key=lambda name: not name.endswith(".mark"))
    for name in names:
        target.locate(name)[0].replace(folder / name)
        sync(folder)
    return folder / names[-1]


def import_export(manifest: Manifest, source: Layout, folder: Path, now: datetime) -> Path:
    """Create a database from an export in `folder`, and return its path. An interrupted import starts again.

    Raises UsageError when the folder has other files, BackupDamaged when the export was changed.
    """
    if manifest.kind != PARQUET:
        raise UsageError("this is a backup; `driftd db restore` reads it")
    _refuse_newer(manifest)
    for chunk in manifest.chunks():
        transfer.read_chunk(source, chunk)
    names = {DATABASE_NAME, mark_of(Path(DATABASE_NAME)).name}
    left = {name + RESTORING + end for name in names for end in ("", ".wal", ".tmp")}
    _demand_empty(folder, names, left)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / DATABASE_NAME
    building = folder / (DATABASE_NAME + RESTORING)
    remove_database(building)
    connection = duckdb.connect(building)
    try:
        building.chmod(0o600)
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")
        files = {file.name.removesuffix(parquet.SUFFIX): source.locate(file.name)[0] for file in manifest.files}
        counts = parquet.read_into(connection, files, manifest.schema_version, building, now)
        mark = mark_in(Tx(connection)) if WATERMARK in counts else None
    finally:
        connection.close()
    missing = {table: rows for table, rows in manifest.tables.items() if rows != counts.get(table, rows)}
    if missing:
        raise BackupDamaged(f"the export has {missing} rows, and { ({t: counts[t] for t in missing}) } were imported")
    if mark is not None:
        file = MarkFile(path)
        file.reset(mark)
        file.close()
    sync(building)
    building.replace(path)
    sync(folder)
    return path


def _refuse_newer(manifest: Manifest) -> None:
    known = known_migrations()[-1].version
    if manifest.schema_version > known:
        raise SchemaTooNew(
            f"the backup has schema version {manifest.schema_version}, this driftd knows up to {known}; "
            "install a newer driftd"
        )


def _demand_empty(folder: Path, names: AbstractSet[str], left: AbstractSet[str] = frozenset()) -> None:
    """Raise UsageError unless the folder is empty, or has what an interrupted restore of `names` left."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    ours = {name + RESTORING for name in names} | {name for name in names if name.endswith(".mark")} | left
    found = {entry.name for entry in folder.iterdir()}
    interrupted = any(name.endswith(RESTORING) for name in found)
    if found and not (interrupted and found <= ours):
        raise UsageError(
            f"{folder} is not empty ({min(found - ours or found)}); driftd restores into an empty folder only"
        )
