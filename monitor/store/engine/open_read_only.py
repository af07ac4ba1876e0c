"""A look into the database file that changes nothing: no migration, no log folded in, no file made."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb

from monitor.store.engine.connect import open_to_read
from monitor.store.engine.migrations import known_migrations, not_applied, refuse_foreign
from monitor.store.engine.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOnlyDatabase:
    """`lacking` migrations are applied at the next start; until then there may be tables that `tx` does not find."""

    tx: Tx
    lacking: int


@contextmanager
def glance(path: Path, memory_limit_mb: int) -> Iterator[ReadOnlyDatabase]:
    """Look into an existing file.

    Raises StoreLocked while another process owns it, SchemaTooNew for a newer driftd's, ConfigError when it is no
    database.
    """
    connection = open_to_read(path, memory_limit_mb)
    try:
        refuse_foreign(connection, path)
        known = known_migrations()
        lacking = len(known)
        with suppress(duckdb.CatalogException):  # a database that is empty
            lacking = len(not_applied(connection, known, path))
        yield ReadOnlyDatabase(tx=Tx(connection), lacking=lacking)
    finally:
        connection.close()
