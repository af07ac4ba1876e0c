"""Maintenance of the files of a lake. Readers and inserts of other processes continue.

| step | why |
|---|---|
| merge | each commit makes a file; small files of a table become one |
| rewrite | a removed row stays in its file; the file is written again without it |
| expire | a file is needed as long as a snapshot reads it |
| clean up | files that no snapshot needs are removed, and files of processes that were killed before their commit |
| control tables | a removed row stays in the files of PostgreSQL; after an erasure its table is written again |

A transaction may read a file that no snapshot needs any more, and has files that no snapshot has yet. So nothing is
removed that is younger than the longest transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import duckdb

from monitor.domain.object_store import ObjectData
from monitor.store.lake.commit_message import set_message
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lease import Lease
from monitor.store.lake.objects.uploads import abort_old_uploads

LONGEST: Final = timedelta(hours=1)  # of all transactions of all processes
WORTH_IT: Final = 0.1  # the share of removed rows at which a file is written again
_REWRITE: Final = "CALL ducklake_rewrite_data_files('lake', delete_threshold => {})"
_MERGE: Final = "CALL ducklake_merge_adjacent_files('lake')"
_EXPIRE: Final = "SELECT count(*) FROM ducklake_expire_snapshots('lake', {})"
_CLEAN_UP: Final = "SELECT path FROM ducklake_cleanup_old_files('lake', {})"
_ORPHANS: Final = "SELECT path FROM ducklake_delete_orphaned_files('lake', {})"
_VACUUM: Final = (
    "CALL postgres_execute('control', 'VACUUM (FULL, ANALYZE, SKIP_LOCKED) main.{}', use_transaction => false)"
)
_FILE_OF: Final = "SELECT * FROM postgres_query('control', 'SELECT pg_relation_filenode(''main.{}'')')"
_FILES: Final = "SELECT count(*) FROM control.lake.ducklake_data_file WHERE end_snapshot IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintained:
    """The number of files that were merged, that were written again without removed rows, and that were removed."""

    merged: int
    rewritten: int
    removed: int


def maintain_files(
    store: LakeStore,
    lease: Lease | None,
    now: datetime,
    *,
    every_removed_row: bool = True,
    longest: timedelta = LONGEST,
) -> Maintained:
    """Rewrite, merge, expire and clean up. `longest` is the time that the longest transaction of any process takes.
    Unless `every_removed_row` must be gone, only files that lost a tenth of their rows are written again.

    A process that is killed in the middle loses nothing, and the next pass continues. Raises LeaseLost when `lease` is
    not held, and StoreUnavailable when another process changed the same rows: repeat the pass later.
    """
    rewritten = _processed(_commit(store, lease, _REWRITE.format(0 if every_removed_row else WORTH_IT)))
    merged = _processed(_commit(store, lease, _MERGE))
    before = f"older_than => TIMESTAMPTZ '{(now - longest).isoformat()}'"
    _commit(store, lease, _EXPIRE.format(before))
    removed = sum(len(_commit(store, lease, each.format(before))) for each in (_CLEAN_UP, _ORPHANS))
    if isinstance(store.data, ObjectData):
        removed += abort_old_uploads(store.data, now - longest)
    return Maintained(merged=merged, rewritten=rewritten, removed=removed)


def rewrite_control_tables(store: LakeStore, tables: Iterable[str]) -> list[str]:
    """Write control tables again without their removed rows. Return the tables that were in use: repeat these later.

    A table is locked meanwhile. Rows that an open transaction may still read are kept.
    """
    in_use = []
    with store.maintained() as cursor:
        for table in sorted(tables):
            before = cursor.execute(_FILE_OF.format(table)).fetchall()
            cursor.execute(_VACUUM.format(table))
            if cursor.execute(_FILE_OF.format(table)).fetchall() == before:
                in_use.append(table)
    return in_use


def number_of_files(store: LakeStore) -> int:
    """Return the number of files that the newest snapshot reads."""
    return _count(store, _FILES)


def _commit(store: LakeStore, lease: Lease | None, statement: str) -> list[Any]:
    """Run a statement in a transaction of its own, and return its rows. PostgreSQL refuses its commit when the term of
    the lease is over.
    """
    term = None if lease is None else lease.required()
    with store.maintained() as cursor:
        cursor.execute("BEGIN TRANSACTION")
        try:
            if term is not None:
                set_message(cursor, "maintenance", term)
            rows = cursor.execute(statement).fetchall()
            cursor.execute("COMMIT")
        except duckdb.Error as error:
            store.end_failed(cursor, term, error)
            raise
    return rows


def _processed(rows: Sequence[Any]) -> int:
    return sum(int(row[2]) for row in rows)


def _count(store: LakeStore, sql: str) -> int:
    with store.maintained() as cursor:
        [(found,)] = cursor.execute(sql).fetchall()
    return int(found)
