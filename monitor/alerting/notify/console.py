"""A receiver that writes alerts to the standard output of the daemon."""

from collections.abc import Mapping
from typing import Any, TextIO

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.render import Templates, render
from monitor.alerting.sample import checked_templates
from monitor.domain.alert import Notification


class Console:
    """Writes each notification as text to a stream. The caller owns the stream: `close` does not close it."""

    def __init__(self, name: str, stream: TextIO, templates: Templates | None = None) -> None:
        self._name, self._stream, self._templates = name, stream, templates

    @property
    def name(self) -> str:
        return self._name

    def reach(self) -> None:
        try:
            self._stream.write("")  # flush alone does not detect a closed stream
            self._stream.flush()
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error

    def send(self, notification: Notification) -> None:
        page = f"\n{render(notification.payload, self._templates).text}\n\n"
        try:
            self._stream.write(self._printable(page))
            self._stream.flush()
        except (OSError, ValueError) as error:  # a closed stream raises ValueError
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Do nothing: the receiver holds no resource."""

    def _unwritable(self, error: Exception) -> ReceiverUnavailable:
        return ReceiverUnavailable(f"receiver {self._name!r}: cannot write to its stream: {error}")

    def _printable(self, page: str) -> str:
        """Return the text in the encoding of the stream. Characters that it cannot encode become question marks."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        return page.encode(encoding, "replace").decode(encoding)


def build(name: str, options: Mapping[str, Any], output: TextIO) -> Console:
    """Return a console receiver. `options` may have `templates`, the sources of its templates by part."""
    return Console(name, output, checked_templates(name, options.get("templates", {})))
