"""Detects at start that the database lacks acknowledged transactions.

Each commit increments a counter in the table `watermark` within its own transaction, and then records it in a file
outside the write-ahead log (monitor/store/engine/commit_mark.py). The table is never older than the file: a process
that is killed between the two steps leaves the table newer. An older table has lost commits, whatever the cause.
"""

import logging
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import duckdb

from monitor.domain.audit import Head
from monitor.domain.loss import Loss, LossReason
from monitor.domain.run import new_id
from monitor.errors import StoreUnavailable
from monitor.store.engine import losses
from monitor.store.engine.commit_mark import Mark, MarkFile, read_mark
from monitor.store.engine.transaction import Tx

log = logging.getLogger(__name__)


class Watermark:
    """The commit counter of an open store. The holder of the write lock calls every method except `open`."""

    def __init__(self, mark: Mark, file: MarkFile) -> None:
        self._mark, self._file = mark, file

    @classmethod
    def open(cls, path: Path, cursor: duckdb.DuckDBPyConnection, now: datetime) -> Self:
        """Compare the database with the file, and store missing commits as an unacknowledged loss."""
        outside = read_mark(path)
        file = MarkFile(path)
        try:
            cursor.execute("BEGIN TRANSACTION")
            stored = _reconcile(Tx(cursor), path, outside, now)
            cursor.execute("COMMIT")
            file.reset(stored)
        except (duckdb.Error, OSError) as error:
            file.close()
            raise StoreUnavailable(f"{path} cannot be written now: {error}") from error
        return cls(stored, file)

    @property
    def audit_head(self) -> Head:
        """Return the newest committed entry of the audit log."""
        return self._mark.audit_head

    def advance(self, tx: Tx, now: datetime) -> Mark:
        """Count the next commit as part of its transaction. Pass the result to `committed` after the commit."""
        mark = Mark(
            database_id=self._mark.database_id,
            commits=self._mark.commits + 1,
            changed_rows=self._mark.changed_rows + tx.changed_rows,
            last_at=now,
            **_audit(tx.audit_head or self.audit_head),
        )
        _set(tx, mark)
        return mark

    def committed(self, mark: Mark) -> None:
        self._mark = mark
        self._file.write(mark)

    def close(self) -> None:
        self._file.close()


def _reconcile(tx: Tx, path: Path, outside: Mark | None, now: datetime) -> Mark:
    """Return the current mark, and store the loss if there is one."""
    stored = mark_in(tx)
    if stored is None:
        stored = Mark(database_id=str(uuid4()), commits=0, changed_rows=0, last_at=now)
        tx.execute("insert_watermark", database_id=stored.database_id, **_counts(stored))
    loss = compare(stored, outside, now)
    if loss is None:
        return _with_newer_audit(tx, stored, outside)
    log.error("%s: %s", path, loss.sentence)
    losses.insert(tx, loss)
    if loss.reason is LossReason.FEWER and outside is not None:  # otherwise the next start would report the loss again
        _set(tx, outside)
        return outside
    return stored


def _with_newer_audit(tx: Tx, stored: Mark, outside: Mark | None) -> Mark:
    """Return the mark with the newest known entry of the audit log.

    When entries were removed from the end of the table, the next entry continues those that are missing. So the
    verification finds the gap after any number of starts.
    """
    if outside is None or outside.database_id != stored.database_id or outside.audit_number < stored.audit_number:
        return stored
    if outside.audit_head == stored.audit_head:
        return stored
    stored = replace(stored, **_audit(outside.audit_head))
    _set(tx, stored)
    return stored


def mark_in(tx: Tx) -> Mark | None:
    """Return the mark in the database."""
    row = tx.one("watermark")
    return None if row is None else Mark(**row)


def compare(stored: Mark, outside: Mark | None, now: datetime) -> Loss | None:
    """Return what the database lacks. `stored` is the mark in the database, `outside` the mark in the file."""
    if outside is None:
        return _loss(LossReason.UNKNOWN, stored, None, now) if stored.commits else None
    if outside.database_id != stored.database_id:
        return _loss(LossReason.REPLACED, stored, outside, now) if outside.commits else None
    return _loss(LossReason.FEWER, stored, outside, now) if outside.commits > stored.commits else None


def _loss(reason: LossReason, stored: Mark, outside: Mark | None, now: datetime) -> Loss:
    fewer = reason is LossReason.FEWER
    return Loss(
        id=new_id("loss", now),
        found_at=now,
        reason=reason,
        commits=None if outside is None else outside.commits - (stored.commits if fewer else 0),
        changed_rows=None if outside is None else outside.changed_rows - (stored.changed_rows if fewer else 0),
        since=stored.last_at if fewer else None,
        until=(outside or stored).last_at,
    )


def _set(tx: Tx, mark: Mark) -> None:
    tx.execute("set_watermark", **_counts(mark))


def _counts(mark: Mark) -> dict[str, Any]:
    counts = {"commits": mark.commits, "changed_rows": mark.changed_rows, "last_at": mark.last_at}
    return counts | _audit(mark.audit_head)


def _audit(head: Head) -> dict[str, Any]:
    return {"audit_number": head.number, "audit_hash": head.hash}
