"""Opens a lake for an import or a comparison."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from monitor.domain.object_store import LakeData
from monitor.store.lake.connect import (
    attach_control,
    attach_lake,
    duckdb_with_extensions,
    require_migrations,
    require_tables,
    unopened,
)


@contextmanager
def opened_lake(
    url: str, data: LakeData, session: str, *, memory_limit_mb: int, threads: int | None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection with the tables of the lake at `url`, also while its import is unfinished.

    Raises ConfigError without a lake, or with another schema version; StoreUnavailable when it cannot be reached now.
    """
    connection = duckdb_with_extensions(memory_limit_mb, threads)
    try:
        try:
            attach_control(connection, url, session)
            require_tables(connection, url)
            require_migrations(connection)
            attach_lake(connection, url, data, session)
        except duckdb.Error as error:
            raise unopened(error, url) from error
        yield connection
    finally:
        connection.close()
