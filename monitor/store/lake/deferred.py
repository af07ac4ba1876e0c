"""Statements on control tables that follow a commit of large tables.

The commit stores them in `commits.deferred_write` of the PostgreSQL database. Whoever runs one removes it in the same
transaction. The process that committed does so at once; after its end another one does.
"""

import base64
import json
from dataclasses import dataclass
from typing import Any, Final, Self
from uuid import uuid4

import duckdb
import pyarrow as pa

from monitor.store.engine.transaction import BATCH, Row

ABANDONED_S: Final = 60  # a process runs its own statements within this time, or has ended
_OLDER: Final = """
SELECT id, document FROM control.commits.deferred_write
WHERE stored_at < now() - to_seconds($age_s) ORDER BY number
"""
_REMOVE: Final = "DELETE FROM control.commits.deferred_write WHERE id = $id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A statement with its parameters, and its batch as a stream of Arrow in base64."""

    id: str
    sql: str
    params: Row
    batch: str | None

    @classmethod
    def of(cls, sql: str, batch: pa.Table | None, params: Row) -> Self:
        return cls(id=str(uuid4()), sql=sql, params=params, batch=None if batch is None else _encoded(batch))

    def run(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Run the statement, and remove it from the table, in the open transaction."""
        if self.batch is not None:
            cursor.register(BATCH, _decoded(self.batch))
        cursor.execute(self.sql, self.params or None)
        if self.batch is not None:
            cursor.unregister(BATCH)
        cursor.execute(_REMOVE, {"id": self.id})


def abandoned(cursor: duckdb.DuckDBPyConnection, age_s: float = ABANDONED_S) -> list[Deferred]:
    """Return the statements of processes that ended before they ran them, the oldest first."""
    rows = cursor.execute(_OLDER, {"age_s": age_s}).fetchall()
    return [Deferred(id=row[0], **_fields(json.loads(row[1]))) for row in rows]


def _fields(document: Row) -> dict[str, Any]:
    return {name: document[name] for name in ("sql", "params", "batch")}


def _encoded(batch: pa.Table) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_table(batch)
    return base64.b64encode(memoryview(sink.getvalue())).decode()


def _decoded(batch: str) -> pa.Table:
    return pa.ipc.open_stream(base64.b64decode(batch)).read_all()
