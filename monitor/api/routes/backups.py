"""Backups of the database: order one, read it in chunks, and discard its copy."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from monitor.api import audit
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.lookup import Identifier
from monitor.api.problems import Unprocessable
from monitor.api.schema.backups import BackupItem, DiscardBackup, ManifestItem, OrderBackup
from monitor.domain.audit import AuditKind
from monitor.errors import Conflict
from monitor.store.backup.backups import Backup, Backups, Order
from monitor.store.backup.manifest import DATABASE, PARQUET

router = APIRouter(prefix="/api/v1/backups", tags=["backups"])
BINARY = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


@router.post("", status_code=202, response_model=BackupItem, **needs(Role.ADMIN, **model_body(OrderBackup)))
def order_backup(context: Context, write: Write, sender: Sender) -> Response:
    """Order a consistent copy of the database, or of tables as Parquet. It is made while the daemon ingests; read it
    when it is `ready`.

    The daemon makes one backup at a time (409).
    """
    order = _order(write.parse(OrderBackup))
    audit.note(kind=AuditKind.EXPORT)
    return write_once(context, write, lambda _: (202, _item(_backups(context).order(sender.name, order))))


@router.get("/{id}", **needs(Role.ADMIN))
def get_backup(context: Context, id: Identifier) -> BackupItem:  # noqa: A002 - the path uses id
    """Return a backup; 404 after a restart of the daemon, which does not keep its copy."""
    return _item(_backups(context).get(id))


@router.get(
    "/{id}/chunk",
    response_class=Response,
    **(needs(Role.ADMIN) | {"responses": needs(Role.ADMIN)["responses"] | {200: BINARY}}),
)
def read_chunk(context: Context, id: Identifier, number: Annotated[int, Query(ge=0)]) -> Response:  # noqa: A002
    """Return the bytes of a chunk. The manifest has its SHA-256."""
    content = _backups(context).chunk(id, number)
    return Response(content, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


@router.post("/{id}/discard", **needs(Role.ADMIN, **model_body(DiscardBackup)))
def discard_backup(context: Context, id: Identifier, write: Write) -> BackupItem:  # noqa: A002
    """Remove the copy of a backup from the disk of the daemon."""
    write.parse(DiscardBackup)
    return _item(_backups(context).discard(id))


def _order(wanted: OrderBackup) -> Order:
    if wanted.kind == DATABASE and (wanted.tables is not None or wanted.since is not None):
        raise Unprocessable("kind: a backup has all rows; tables and since are for the kind parquet")
    return Order(kind=wanted.kind, tables=tuple(dict.fromkeys(wanted.tables or ())), since=wanted.since)


def _backups(context: ApiContext) -> Backups:
    if context.backups is None:
        raise Conflict(
            "driftd makes no backup or export of a lake; back up its PostgreSQL database and its data together "
            "(docs/scale.md)"
        )
    return context.backups


def _item(backup: Backup) -> BackupItem:
    manifest = None if backup.manifest is None else ManifestItem.model_validate(asdict(backup.manifest))
    return BackupItem(
        id=backup.id,
        kind="parquet" if backup.order.kind == PARQUET else "database",
        who=backup.who,
        ordered_at=backup.ordered_at,
        state=backup.state.value,
        error=backup.error,
        manifest=manifest,
    )
