"""The protocol of a receiver of notifications, and its errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from monitor.domain.alert import Notification
from monitor.errors import Permanent, Retryable


class ReceiverUnavailable(Retryable):
    """The receiver cannot accept the notification now. `retry_after_s` is its Retry-After in seconds, or 0."""

    code = "receiver_unavailable"

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ReceiverRefused(Permanent):
    """The receiver rejected the notification: the configuration of the receiver or of driftd is wrong."""

    code = "receiver_refused"


class Receiver(Protocol):
    """Delivers notifications to one receiver.

    `send` returns after the receiver has accepted the notification. It raises ReceiverUnavailable if the receiver
    cannot be reached, and ReceiverRefused if the receiver rejects the notification. In both cases driftd sends it
    again later; the pause after a refusal doubles each time. A notification can arrive twice, because driftd can crash
    between the delivery and its record: the id of the notification is the same. Errors contain no secret.

    A receiver that shows a message to people gets its text from `render(payload, templates)`. Its `build` makes
    the templates with `checked_templates(name, options["templates"])`, and its section extends MessageReceiver.
    """

    @property
    def name(self) -> str: ...

    def reach(self) -> None:
        """Connect to the receiver and send nothing. Raise ReceiverUnavailable with the reason if that fails."""
        ...

    def send(self, notification: Notification) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingPeer:
    """A server of a receiver that does not accept alerts since `since`, while others may. `error` is the last one."""

    peer: str
    since: datetime
    error: str


@runtime_checkable
class RepeatingReceiver(Receiver, Protocol):
    """A receiver of a service that forgets an alert unless it is sent again every `repeat_s` seconds."""

    @property
    def repeat_s(self) -> float: ...

    def learn(self, delivered: Sequence[Notification]) -> None:
        """Keep what the service knows: these notifications, in the order of their delivery."""
        ...

    def repeat(self, now: datetime) -> int:
        """Send again what the service got. Return the number of alerts.

        Raises:
            ReceiverUnavailable: The service does not accept them now.
            ReceiverRefused: The service rejects them.
        """
        ...

    def failing_peers(self) -> Sequence[FailingPeer]: ...
