"""The audit log: entries are appended in the transaction of the change that they describe, and never updated."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from monitor.domain.audit import Action, AuditEntry, AuditKind, Head, linked
from monitor.domain.audit_chain import Verification, Verifier, removed_until
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx

BATCH_ROWS: Final = 10_000


def record(tx: Tx, action: Action) -> AuditEntry:
    """Append an entry to the chain. It is stored when the transaction commits, and only then."""
    if tx.audit_head is None:
        raise RuntimeError("an entry of the audit log needs a write transaction of the store")
    entry = linked(action, tx.audit_head)
    row = asdict(entry.action) | {"number": entry.number, "previous": entry.previous, "hash": entry.hash}
    tx.insert("audit_entry", table_of(TABLES["audit_entry"], [row | {"kind": entry.action.kind.value}]))
    tx.audit_head = entry.head
    return entry


def page(
    tx: Tx, q: PageQuery, *, principal: str | None = None, operation: str | None = None, kind: AuditKind | None = None
) -> Page[AuditEntry]:
    """Return entries, the newest first. A principal is found with and without the user that it names in brackets."""
    filters = {"principal": principal, "operation": operation, "kind": kind and kind.value}
    return fetch_page(tx, "page_audit", q, to_entry, at="at", tie="number", **filters)


def verify(tx: Tx, anchors: Sequence[Head] = ()) -> Verification:
    """Verify the whole chain. Pass heads that were known before the transaction began."""
    row = tx.one("last_audit_checkpoint", kind=AuditKind.CHECKPOINT.value)
    return Verifier(removed_until(to_entry(row) if row else None), anchors).verify(_entries(tx))


def prune(tx: Tx, before: datetime | None, now: datetime) -> int:
    """Remove the oldest entries, up to the last one of before `before`, and append a checkpoint that names it."""
    row = None if before is None else tx.one("last_audit_before", before=before)
    if row is None:
        return 0
    last = to_entry(row).head
    removed = tx.execute("remove_audit_until", number=last.number)
    record(tx, Action(at=now, kind=AuditKind.CHECKPOINT, operation="retention", object_id=str(last), count=removed))
    return removed


def to_entry(row: Row) -> AuditEntry:
    link = {name: row.pop(name) for name in ("number", "previous", "hash")}
    return AuditEntry(action=Action(**row | {"kind": AuditKind(row["kind"])}), **link)


def _entries(tx: Tx) -> Iterator[AuditEntry]:
    for batch in tx.batches("audit_chain", rows=BATCH_ROWS):
        for row in batch.to_pylist():
            yield to_entry(row | {"at": row["at"].astimezone(UTC)})
