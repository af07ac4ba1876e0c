"""Alerts on the daemon's own output."""

from typing import TextIO

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.text import text
from monitor.domain.alert import Notification


class Console:
    """Writes each notification as a page of text to a stream, which stays its owner's."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name, self._stream = name, stream

    @property
    def name(self) -> str:
        return self._name

    def reach(self) -> None:
        try:
            self._stream.write("")  # flushing alone finds no fault with a closed stream
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error

    def send(self, notification: Notification) -> None:
        page = f"\n{text(notification.payload)}\n\n"
        try:
            self._stream.write(self._printable(page))
            self._stream.flush()
        except (OSError, ValueError) as error:  # a closed stream raises ValueError
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Nothing to let go of."""

    def _unwritable(self, error: Exception) -> ReceiverUnavailable:
        return ReceiverUnavailable(f"receiver {self._name!r}: cannot write to its stream: {error}")

    def _printable(self, page: str) -> str:
        """The page in the stream's own encoding: a terminal without arrows shows question marks, never nothing."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        return page.encode(encoding, "replace").decode(encoding)
