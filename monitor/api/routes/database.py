"""The tables of the database, and their verification."""

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema.database import TableItem, TablesItem
from monitor.store.engine.table_scan import BlockDamaged

router = APIRouter(prefix="/api/v1/database", tags=["database"])


@router.get("/tables", **needs(Role.ADMIN))
def list_tables(context: Context) -> TablesItem:
    """Return the names of all tables."""
    return TablesItem(tables=context.store.table_names())


@router.get("/verification", **needs(Role.ADMIN))
def verify_table(context: Context, table: str) -> TableItem:
    """Read every value of a table. DuckDB compares each block that it reads from the disk with its checksum.

    `error` is null when all blocks are intact. Blocks in the memory of the daemon are not read from the disk again.
    """
    try:
        found = context.store.scan_table(table)
    except BlockDamaged as error:
        return TableItem(table=table, rows=None, digest=None, error=str(error))
    return TableItem(table=table, rows=found.rows, digest=found.digest, error=None)
