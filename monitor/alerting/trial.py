"""The notification that `driftd check --notify` sends: the shape of a real one, and marked as none in every part."""

from datetime import datetime

from monitor.alerting.message import SCHEMA
from monitor.domain.alert import DeliveryState, Notification, NotifyReason

SENTENCE = "driftd check sent this to see whether alerts arrive; nothing is wrong"
NAME = "driftd-check"


def trial(receiver: str, *, id: str, now: datetime) -> Notification:  # noqa: A002  the field's name
    """`reason` is "test" and so are the alert's state and the verdict; no set was compared."""
    at = now.isoformat()
    alert = {"id": id, "state": "test", "severity": "low", "summary": SENTENCE}
    finding = {"id": id, "at": at, "verdict": "test", "reason": SENTENCE}
    return Notification(
        id=id,
        alert_id=id,
        receiver=receiver,
        reason=NotifyReason.FIRST,
        state=DeliveryState.QUEUED,
        planned_at=now,
        payload={
            "schema": SCHEMA,
            "reason": "test",
            "alert": {**alert, "pending_since": at, "fired_at": at, "resolved_at": None, "acceptance": None},
            "deployment": NAME,
            "set": {"name": NAME, "kind": "frozen"},
            "from_version": None,
            "to_version": None,
            "change": None,
            "finding": finding,
            "decided": None,
            "comparison": None,
            "evidence": None,
            "production": None,
            "source": None,
            "cause": None,
            "recent": [],
            "dashboard_url": None,
        },
    )
