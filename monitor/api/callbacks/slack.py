"""Callbacks of Slack: buttons of messages."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from monitor.alerting import advance
from monitor.api.callbacks.group_changes import GroupOrder, change_group, ignored
from monitor.api.problems import InvalidRequest, describe_faults
from monitor.api.schema import CallbackResult
from monitor.domain.alert import Alert
from monitor.printable import printable
from monitor.store.engine.database import Tx

_MOST_AGE_S = 300
_MOST_NAME = 100
_MOST_FIELDS = 10  # of the form; Slack sends one
_ACKNOWLEDGE = "acknowledge"


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _User(_Lenient):
    id: str = ""
    name: str | None = None
    username: str | None = None


class _Action(_Lenient):
    action_id: str = ""
    action_ts: str = Field(default="", pattern=r"^([0-9]{1,11}\.[0-9]{1,9})?$")
    value: str | None = Field(default=None, max_length=2000)


class Interaction(_Lenient):
    """What a person pressed. Slack reports one action of `block_actions`."""

    type: str = ""
    user: _User = _User()
    actions: tuple[_Action, ...] = Field(default=(), max_length=25)

    @property
    def who(self) -> str:
        """Return the author for the history of an alert, for example `Slack: anne`."""
        name = self.user.name or self.user.username or self.user.id
        return f"Slack: {printable(name)[:_MOST_NAME]}" if name else "Slack"

    @property
    def acknowledgement(self) -> _Action | None:
        """Return the press of the button Acknowledge, or None. Buttons that are links are reported too."""
        if self.type != "block_actions":
            return None
        return next((each for each in self.actions if each.action_id == _ACKNOWLEDGE and each.value), None)

    @property
    def key(self) -> str:
        """Return the identity of the press: Slack can report one press twice."""
        action = self.acknowledgement
        pressed = "" if action is None else f"{action.value} {action.action_ts}"
        return hashlib.sha256(f"{self.user.id} {pressed}".encode()).hexdigest()


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: datetime) -> bool:
    """Return whether `X-Slack-Signature` is the HMAC-SHA256 of `v0:{timestamp}:{body}`, at most 5 minutes old.

    The comparison takes constant time. https://docs.slack.dev/authentication/verifying-requests-from-slack
    """
    sent_at = headers.get("x-slack-request-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= len("99999999999")):
        return False
    if abs(now.timestamp() - int(sent_at)) > _MOST_AGE_S:
        return False
    signed = f"v0:{sent_at}:".encode() + body
    expected = f"v0={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}".encode()
    return hmac.compare_digest(expected, headers.get("x-slack-signature", "").encode())


def read_interaction(body: bytes) -> Interaction:
    """Return the interaction in the form field `payload`. Raises InvalidRequest with the name of the invalid field."""
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MOST_FIELDS, strict_parsing=True)
    except ValueError:
        raise InvalidRequest("body: a form with the field payload is expected") from None
    payloads = fields.get("payload", [])
    if len(payloads) != 1:
        raise InvalidRequest("body: a form with one field payload is expected")
    try:
        return Interaction.model_validate_json(payloads[0])
    except ValidationError as error:
        raise InvalidRequest(describe_faults(error.errors(include_input=False, include_url=False), "payload")) from None


def apply(tx: Tx, interaction: Interaction, receiver: str, now: datetime) -> CallbackResult:
    """Acknowledge the firing alerts of the group that the button is about."""
    action = interaction.acknowledgement
    if action is None or action.value is None:
        return ignored("the action is not the button Acknowledge")
    pressed_at = datetime.fromtimestamp(float(action.action_ts), UTC) if action.action_ts else now
    order = GroupOrder(group_id=action.value, receiver=receiver, by=interaction.who, at=pressed_at)

    def acknowledge(alert: Alert, at: datetime) -> Alert:
        return alert if alert.acknowledged_at is not None else advance.acknowledge(alert, at, order.by, None)

    return change_group(tx, order, now, acknowledge)
