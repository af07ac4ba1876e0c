"""Finds a text in a database file, as a person with access to the file could."""

from pathlib import Path
from typing import Any

from monitor.store.engine.file_store import FileStore


def cells(store: FileStore) -> list[tuple[str, str, Any]]:
    """Yield every value of every column of every table, with its location."""
    with store._cursors.lend() as cursor:
        tables = [row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        found = []
        for table in tables:
            columns = cursor.sql(f'SELECT * FROM "{table}"').to_arrow_table().to_pydict()
            found += [(table, column, value) for column, values in columns.items() for value in values]
        return found


def where_in_tables(store: FileStore, text: str) -> set[str]:
    """Return the tables that contain the text in any column."""
    return {table for table, _, value in cells(store) if text.encode() in _as_bytes(value)}


def where_on_disk(path: Path, text: str) -> set[str]:
    """Return the suffixes of the files at `path` whose bytes contain the text: "", ".wal", ".compact", ..."""
    files = [file for file in path.parent.rglob("*") if file.is_file() and file.name.startswith(path.name)]
    return {file.name.removeprefix(path.name) for file in files if text.encode() in file.read_bytes()}


def _as_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
