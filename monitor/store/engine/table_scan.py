"""Reads every value of a table. DuckDB compares each block that it reads from the disk with its checksum."""

from dataclasses import dataclass
from typing import Final

import duckdb

from monitor.errors import Permanent

CORRUPT: Final = "Corrupt database file"  # how DuckDB reports a wrong checksum, in an error without a type of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class TableScan:
    """The number of rows of a table, and the sum of the hashes of its rows. Equal rows have equal sums in any order,
    with one version of DuckDB.
    """

    rows: int
    digest: str


class BlockDamaged(Permanent):
    """A block of the database file is not as DuckDB wrote it."""

    code = "block_damaged"


def table_names(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the tables of the database, sorted."""
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary"
    return sorted(row[0] for row in cursor.execute(sql).fetchall())


def scan_table(cursor: duckdb.DuckDBPyConnection, table: str) -> TableScan:
    """Read every value of a table. The name is one of `table_names`. Raises BlockDamaged."""
    sql = f'SELECT count(*), CAST(coalesce(sum(hash(row)), 0) AS VARCHAR) FROM "{table}" AS row'  # noqa: S608 - as above
    try:
        [(rows, digest)] = cursor.execute(sql).fetchall()
    except duckdb.Error as error:
        if CORRUPT not in str(error):
            raise
        raise BlockDamaged(f"{error}; restore the newest backup") from error
    return TableScan(rows=rows, digest=digest)
