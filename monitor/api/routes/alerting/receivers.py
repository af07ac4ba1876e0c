"""Receivers: send a test notification."""

from fastapi import APIRouter

from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.alerting.trial import trial
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.body import Write, model_body
from monitor.api.context import Context
from monitor.api.schema import TestedReceiver, TestReceiver
from monitor.domain.run import new_id
from monitor.errors import unknown

router = APIRouter(prefix="/api/v1/receivers", tags=["alerts"])


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
