"""What an import reads: a database file, or the folder of an export or a backup.

DuckDB opens no file that a newer version wrote. An export has Parquet files, which every version reads.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb

from monitor.errors import ConfigError, SchemaTooNew, StoreLocked, UsageError
from monitor.store.backup import parquet
from monitor.store.backup.layout import Folder, Layout, open_backup
from monitor.store.backup.manifest import PARQUET, Manifest
from monitor.store.backup.transfer import demand_lengths, read_chunk
from monitor.store.backup.unfinished import refuse_unfinished_restore
from monitor.store.engine.append_only import FACTS
from monitor.store.engine.commit_mark import read_mark
from monitor.store.engine.connect import log_of
from monitor.store.engine.migrations import known_migrations, not_applied, refuse_foreign
from monitor.store.engine.transaction import Tx
from monitor.store.engine.watermark import mark_in
from monitor.store.lake.literal import literal

SOURCE: Final = "imported"  # the name of the attached file
HEADERS_BYTES: Final = 3 * 4096  # the headers of a DuckDB file; each checkpoint changes one
RECORDED: Final = "schema_migration"  # of the lake itself, never imported
_TABLES: Final = """
SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()
WHERE database_name = 'imported' AND table_oid IN (
    SELECT table_oid FROM duckdb_tables() WHERE database_name = 'imported'
)
GROUP BY table_name
"""


class ImportSource(ABC):
    """The tables of an import. A row has a position, and the rows of a source never change."""

    def __init__(self, name: str, fingerprint: str) -> None:
        """`name` is what the user gave, `fingerprint` changes with the content."""
        self.name, self.fingerprint = name, fingerprint

    @abstractmethod
    def tables(self) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of each table, without those that record migrations."""

    @abstractmethod
    def relation(self, table: str) -> str:
        """Return what follows FROM in a statement that reads a table."""

    @property
    @abstractmethod
    def position(self) -> str:
        """Return the column of a relation with the position of a row, a number from 0."""


class FileSource(ImportSource):
    """A database file, attached for reading. No other process can write it meanwhile."""

    position = "rowid"

    def __init__(self, cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
        """Attach the file to the connection of the cursor. Raises ConfigError when it cannot be imported."""
        self._cursor = cursor
        refuse_unfinished_restore(path)
        _attach(cursor, path)
        # The file cannot change from here on.
        super().__init__(str(path), _fingerprint(path))
        with cursor.cursor() as own:
            own.execute(f"USE {SOURCE}")
            refuse_foreign(own, path)
            if not_applied(own, known_migrations(), path):
                raise ConfigError(
                    f"{path} has the schema of an earlier driftd; run `driftd db info` with the configuration of the "
                    "file, which migrates it, and stop there"
                )
            _require_all_commits(own, path)

    def tables(self) -> Mapping[str, tuple[str, ...]]:
        rows = self._cursor.execute(_TABLES).fetchall()
        return {table: tuple(columns) for table, columns in sorted(rows) if table != RECORDED}

    def relation(self, table: str) -> str:
        return f'{SOURCE}.main."{table}"'


class ExportSource(ImportSource):
    """The Parquet files of `driftd db export`. The facts of a table are in the file of the table."""

    position = "file_row_number"

    def __init__(self, cursor: duckdb.DuckDBPyConnection, path: Path, manifest: Manifest, layout: Layout) -> None:
        """Raises BackupDamaged when a byte changed, UsageError when tables or rows are missing."""
        super().__init__(str(path), manifest.sha256)
        self._cursor, self._layout = cursor, layout
        _require_schema(manifest, path)
        if manifest.since is not None or manifest.revealed:
            raise UsageError(f"{path} is not an export of all rows; run `driftd db export` without --since")
        demand_lengths(manifest, layout)
        for chunk in manifest.chunks():
            read_chunk(layout, chunk)
        self._names = sorted(set(manifest.tables) - {RECORDED})

    def tables(self) -> Mapping[str, tuple[str, ...]]:
        return {table: self._columns(table) for table in self._names}

    def relation(self, table: str) -> str:
        return f"read_parquet({self._file(table)}, file_row_number = true)"

    def _columns(self, table: str) -> tuple[str, ...]:
        described = self._cursor.execute(f"DESCRIBE FROM read_parquet({self._file(table)})").fetchall()
        return tuple(row[0] for row in described)

    def _file(self, table: str) -> str:
        return literal(str(self._layout.locate(table + parquet.SUFFIX)[0]))


def open_source(cursor: duckdb.DuckDBPyConnection, path: Path) -> ImportSource:
    """Open what is imported at `path`.

    Raises UsageError when it is neither, StoreLocked when a process uses the file, SchemaTooNew for a newer driftd.
    """
    path = path.resolve()
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a database file, or the folder of an export or a backup")
    if path.is_file():
        if path.suffix == ".tar":
            raise UsageError(f"{path} is a tar file; run `driftd db restore` first, and name the restored file")
        return FileSource(cursor, path)
    manifest, layout = open_backup(path)
    if manifest.kind == PARQUET:
        return ExportSource(cursor, path, manifest, layout)
    demand_lengths(manifest, layout)
    for chunk in manifest.chunks():
        read_chunk(layout, chunk)
    [database] = [file.name for file in manifest.files if not file.name.endswith(".mark")]
    return FileSource(cursor, Folder(path).locate(database)[0])


def missing_tables(source: ImportSource, wanted: frozenset[str]) -> list[str]:
    """Return the tables of the lake that the source must have and lacks."""
    facts = FACTS.keys() if isinstance(source, ExportSource) else frozenset[str]()
    return sorted(wanted - source.tables().keys() - facts)


def _attach(cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        cursor.execute(f"ATTACH {literal(str(path))} AS {SOURCE} (READ_ONLY)")
    except duckdb.Error as error:
        if "Could not set lock" in str(error):
            raise StoreLocked(f"{path} is in use by another process; stop driftd first") from error
        if "database file with version number" in str(error):
            raise ConfigError(
                f"{path} was written by a newer DuckDB than {duckdb.__version__}, which a lake needs; run "
                "`driftd db export FOLDER` with the driftd that uses the file, then `driftd lake import FOLDER`"
            ) from error
        raise ConfigError(f"{path} cannot be imported: {error}") from error


def _fingerprint(path: Path) -> str:
    """Return a digest of the state of a database file: a checkpoint changes its headers, a commit its log."""
    with path.open("rb") as file:
        digest = hashlib.sha256(file.read(HEADERS_BYTES))
    digest.update(str(path.stat().st_size).encode())
    if (log := log_of(path)).exists():
        digest.update(log.read_bytes())
    return digest.hexdigest()


def _require_all_commits(cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Raise ConfigError when the file lacks commits that its watermark knows."""
    stored, outside = mark_in(Tx(cursor)), read_mark(path)
    if stored is None or outside is None or outside.database_id != stored.database_id:
        return
    if outside.commits > stored.commits:
        raise ConfigError(
            f"{path} lacks {outside.commits - stored.commits} commits that were acknowledged; restore a backup, or run "
            "`driftd db info` with the configuration of the file, which records the loss"
        )


def _require_schema(manifest: Manifest, path: Path) -> None:
    known = known_migrations()[-1].version
    if manifest.schema_version > known:
        raise SchemaTooNew(
            f"{path} has schema version {manifest.schema_version}, this driftd knows up to {known}; "
            "install a newer driftd"
        )
    if manifest.schema_version < known:
        raise ConfigError(
            f"{path} has schema version {manifest.schema_version}, this driftd needs {known}; export it again with "
            "this version of driftd"
        )
