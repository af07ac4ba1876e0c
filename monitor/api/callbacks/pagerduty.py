"""Callbacks of PagerDuty: v3 webhooks about incidents."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from monitor.alerting import advance
from monitor.api.callbacks.group_changes import GroupOrder, change_group, ignored, record
from monitor.api.problems import InvalidRequest, describe_faults
from monitor.api.schema import CallbackResult
from monitor.domain.alert import Alert, AlertEventKind
from monitor.printable import printable
from monitor.store.engine.database import Tx

_MOST_SIGNATURES = 10
_MOST_NAME = 100
_HANDLED = ("incident.acknowledged", "incident.unacknowledged", "incident.resolved")


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Agent(_Lenient):
    type: str = ""
    summary: str | None = None


class _Incident(_Lenient):
    id: str = ""
    incident_key: str | None = None


class Event(_Lenient):
    """An event of a v3 webhook. `data` has other fields for events that are not about an incident."""

    id: str = Field(pattern=r"^[\x21-\x7e]{1,255}$")
    event_type: str
    occurred_at: AwareDatetime
    agent: _Agent | None = None
    data: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_own(self) -> bool:
        """Return whether an integration caused the event: driftd's own acknowledgement or resolution returns."""
        return self.agent is not None and self.agent.type.endswith("integration_reference")

    @property
    def who(self) -> str:
        """Return the author for the history of an alert, for example `PagerDuty: Anne Droid`."""
        name = None if self.agent is None else self.agent.summary
        return f"PagerDuty: {printable(name)[:_MOST_NAME]}" if name else "PagerDuty"


class _Document(_Lenient):
    event: Event


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:  # noqa: ARG001  Check
    """Return whether one of the signatures of `X-PagerDuty-Signature` is the HMAC-SHA256 of the raw body.

    The header is a comma-separated list such as `v1=f03de6f6...,v1=130cb5a3...`: one for each secret during a rotation.
    The comparison takes constant time.
    """
    expected = f"v1={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}".encode()
    given = headers.get("x-pagerduty-signature", "").split(",", _MOST_SIGNATURES)[:_MOST_SIGNATURES]
    matches = [hmac.compare_digest(expected, each.strip().encode()) for each in given]
    return any(matches)


def read_event(body: bytes) -> Event:
    """Return the event of a webhook. Raises InvalidRequest with the name of the invalid field, not its value."""
    try:
        return _Document.model_validate_json(body).event
    except ValidationError as error:
        raise InvalidRequest(describe_faults(error.errors(include_input=False, include_url=False), "body")) from None


def apply(tx: Tx, event: Event, receiver: str, now: datetime) -> CallbackResult:
    """Apply the event to the group of alerts whose id is the `incident_key`.

    An acknowledgement, or its end, changes the firing alerts. A resolution is stored as an event of each alert and
    resolves none: the condition decides, and missing data never resolves an alert.
    """
    if event.event_type not in _HANDLED:
        return ignored(f"events of type {printable(event.event_type)[:_MOST_NAME]} have no effect")
    if event.is_own:
        return ignored("an integration caused the event, not a person")
    try:
        incident = _Incident.model_validate(event.data)
    except ValidationError as error:
        raise InvalidRequest(describe_faults(error.errors(include_input=False, include_url=False), "body")) from None
    if not incident.incident_key:
        return ignored("the incident has no incident_key")
    order = GroupOrder(group_id=incident.incident_key, receiver=receiver, by=event.who, at=event.occurred_at)
    if event.event_type == "incident.resolved":
        return record(tx, order, now, AlertEventKind.RESOLVED_AT_RECEIVER)

    def acknowledge(alert: Alert, at: datetime) -> Alert:
        return alert if alert.acknowledged_at is not None else advance.acknowledge(alert, at, order.by, None)

    def unacknowledge(alert: Alert, at: datetime) -> Alert:
        return alert if alert.acknowledged_at is None else advance.unacknowledge(alert, at)

    return change_group(tx, order, now, acknowledge if event.event_type == "incident.acknowledged" else unacknowledge)
