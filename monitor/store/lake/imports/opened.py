"""Opens a lake for an import or a comparison."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData
from monitor.errors import ConfigError
from monitor.store.lake.connect import (
    attach_control,
    attach_lake,
    duckdb_with_extensions,
    has_tables,
    require_migrations,
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
            if not has_tables(connection):
                raise ConfigError(
                    f"store.url: {LakeAddress.of(url).shown} has no lake of driftd; `driftd lake init` creates it"
                )
            require_migrations(connection)
            attach_lake(connection, url, data, session)
        except duckdb.Error as error:
            raise unopened(error, url) from error
        yield connection
    finally:
        connection.close()
