"""The test notification of `driftd check --notify`: the shape of an alert, with every part marked as a test."""

from datetime import datetime

from monitor.alerting.message import SCHEMA
from monitor.domain.alert import DeliveryState, Notification, NotifyReason

SENTENCE = "driftd check sent this to test the delivery of alerts; nothing is wrong"
NAME = "driftd-check"
_UNKNOWN = dict.fromkeys(("resolved_at", "acknowledged_by", "acknowledged_at", "acceptance"))


def trial(receiver: str, *, id: str, now: datetime) -> Notification:  # noqa: A002  the field's name
    """Return the test notification. The reason, the state of the alert and the verdict are "test"."""
    at = now.isoformat()
    alert = {"id": id, "rule": "Watchdog", "state": "test", "severity": "info", "summary": SENTENCE}
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
            "alert": {**alert, **_UNKNOWN, "pending_since": at, "fired_at": at},
            "deployment": NAME,
            "set": {"name": NAME, "kind": "frozen", "measures": None},
            "metric": None,
            "from_version": None,
            "to_version": None,
            "change": None,
            "diff": [],
            "finding": finding,
            "decided": None,
            "comparison": None,
            "evidence": None,
            "production": None,
            "severity_gate": None,
            "source": None,
            "cause": None,
            "recent": [],
            "cost": None,
            "dashboard_url": None,
        },
    )
