"""Receivers: list their deliveries, send a test notification."""

from fastapi import APIRouter

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.trial import trial
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import Context
from monitor.api.schema import ListPage, ReceiverItem, TestedReceiver, TestReceiver
from monitor.domain.run import new_id
from monitor.errors import unknown
from monitor.store.findings import alerts

router = APIRouter(prefix="/api/v1/receivers", tags=["alerts"])


@router.get("", **needs(Role.READ))
def list_receivers(context: Context) -> ListPage[ReceiverItem]:
    """List the configured receivers, and others that have had a notification, by name."""
    with context.store.read() as tx:
        found = {one.receiver: one for one in alerts.deliveries(tx)}
    names = sorted({*context.receivers, *found})
    return ListPage(items=[_item(name, found.get(name), context) for name in names], next_cursor=None)


@router.post("/{name}/test", response_model=TestedReceiver, **needs(Role.OPERATE, **model_body(TestReceiver)))
def test_receiver(context: Context, name: str, write: Write) -> TestedReceiver:
    """Send a notification that is marked as a test. It ignores groups, silences and the outbox."""
    write.parse(TestReceiver)
    receiver = context.receivers.get(name)
    if receiver is None:
        raise unknown("receiver", name, context.receivers)
    now = context.clock.now()
    notification = trial(name, id=new_id("test", now), now=now)
    error: str | None = None
    try:
        receiver.send(notification)
    except (ReceiverUnavailable, ReceiverRefused) as failure:
        error = str(failure)
    return TestedReceiver(receiver=name, notification_id=notification.id, delivered=error is None, error=error)


def _item(name: str, found: alerts.Delivery | None, context: Context) -> ReceiverItem:
    return ReceiverItem(
        name=name,
        configured=name in context.receivers,
        sent_at=found and found.sent_at,
        queued=found.queued if found else 0,
        queued_since=found and found.queued_since,
        failed=found.failed if found else 0,
        error=found and found.error,
    )
