"""Compactions of the database file, on request or to erase a user. Each one is recorded."""

import hashlib
import secrets

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.lookup import Identifier
from monitor.api.schema import CompactionItem, ListPage, OrderCompaction
from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.run import new_id
from monitor.errors import Conflict
from monitor.store.engine.database import Tx
from monitor.store.maintenance import compactions
from monitor.store.maintenance.erase_user import erase_user

router = APIRouter(prefix="/api/v1/compactions", tags=["compactions"])


@router.get("", **needs(Role.READ))
def list_compactions(context: Context, query: ListQuery) -> ListPage[CompactionItem]:
    with context.store.read() as tx:
        return as_list(compactions.page(tx, query), encode.compaction)


@router.get("/{id}", **needs(Role.READ))
def get_compaction(context: Context, id: Identifier) -> CompactionItem:  # noqa: A002 - the path uses id
    """Return a compaction; `compacted_at` is null while the removed bytes are still in the file."""
    with context.store.read() as tx:
        return encode.compaction(compactions.get(tx, id))


@router.post("", status_code=202, response_model=CompactionItem, **needs(Role.ADMIN, **model_body(OrderCompaction)))
def order_compaction(context: Context, write: Write, sender: Sender) -> Response:
    """Remove all rows of a user, if one is named, and order a compaction. The rows are removed before the response;
    their bytes are gone when `compacted_at` is set. This cannot be undone.
    """
    order = write.parse(OrderCompaction)
    return write_once(context, write, lambda tx: (202, encode.compaction(_ordered(context, tx, order, sender.name))))


def _ordered(context: ApiContext, tx: Tx, order: OrderCompaction, who: str) -> Compaction:
    now = context.clock.now()
    compaction = Compaction(id=new_id("compaction", now), kind=CompactionKind.COMPACT, at=now, who=who, removed={})
    if order.erase_user is not None:
        compaction = Compaction(
            id=compaction.id,
            kind=CompactionKind.ERASE,
            at=now,
            who=who,
            user_hash=_salted_hash(order.erase_user),
            removed=_erase(context, tx, order.erase_user),
        )
    compactions.insert(tx, compaction)
    return compaction


def _erase(context: ApiContext, tx: Tx, user_id: str) -> dict[str, int]:
    erased = erase_user(tx, user_id, context.clock.now(), stored_as=context.normalizer.redactor.user(user_id))
    replayed = sorted(set(context.replaying()) & set(erased.sets))
    if replayed:  # its replies would be stored after the erasure
        raise Conflict(f"set {replayed[0]!r} has cases of this user and is being replayed; try again after the run")
    return dict(erased.removed)


def _salted_hash(user_id: str) -> str:
    """Return a hash that confirms whether this id was erased. The salt prevents matching equal ids across files."""
    salt = secrets.token_hex(8)
    return f"{salt}:{hashlib.sha256((salt + user_id).encode()).hexdigest()}"
