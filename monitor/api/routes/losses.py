"""Acknowledged transactions that the database has lost, until a person accepts the loss."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import AcknowledgedLosses, AcknowledgeLosses, ListPage, LossItem
from monitor.domain.loss import Loss
from monitor.store.engine import losses

router = APIRouter(prefix="/api/v1/losses", tags=["status"])


@router.get("", **needs(Role.READ))
def list_losses(context: Context, query: ListQuery) -> ListPage[LossItem]:
    """List all losses, newest first, including acknowledged ones."""
    with context.store.read() as tx:
        return as_list(losses.page(tx, query), _item)


@router.post("/acknowledge", response_model=AcknowledgedLosses, **needs(Role.OPERATE, **model_body(AcknowledgeLosses)))
def acknowledge_losses(context: Context, write: Write, sender: Sender) -> Response:
    """Acknowledge all open losses and resolve their alert."""
    order, now = write.parse(AcknowledgeLosses), context.clock.now()
    return write_once(
        context,
        write,
        lambda tx: (
            200,
            AcknowledgedLosses(acknowledged=losses.acknowledge(tx, who=sender.name, note=order.note, now=now)),
        ),
    )


def _item(loss: Loss) -> LossItem:
    return LossItem(
        id=loss.id,
        found_at=loss.found_at,
        reason=loss.reason.value,
        commits=loss.commits,
        changed_rows=loss.changed_rows,
        since=loss.since,
        until=loss.until,
        acknowledged_at=loss.acknowledged_at,
        acknowledged_by=loss.acknowledged_by,
        note=loss.note,
        sentence=loss.sentence,
    )
