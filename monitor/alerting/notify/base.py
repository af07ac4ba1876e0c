"""What every receiver of notifications does."""

from typing import Protocol

from monitor.domain.alert import Notification
from monitor.errors import Permanent, Retryable


class ReceiverUnavailable(Retryable):
    """The receiver did not take it now; `retry_after_s` is what it asked for, or 0."""

    code = "receiver_unavailable"

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ReceiverRefused(Permanent):
    """The receiver answered that it does not take this as it is: its settings or those of driftd are wrong."""

    code = "receiver_refused"


class Receiver(Protocol):
    """Delivers one notification, and returns when the receiver has it.

    Raises ReceiverUnavailable when the receiver is away, ReceiverRefused when it answers that it does not take this
    one. Either way the notification is sent again later, a refused one ever more slowly. A notification may come twice
    (a crash between delivery and its record); its id shows that. Errors never hold a secret.
    """

    @property
    def name(self) -> str: ...

    def reach(self) -> None:
        """Return when the other side is there, and send it nothing; ReceiverUnavailable says why it is not."""
        ...

    def send(self, notification: Notification) -> None: ...

    def close(self) -> None: ...
