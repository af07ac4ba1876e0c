"""Decodes server-sent events from byte chunks of any size."""

import re
from dataclasses import dataclass

from replay.targets.failure import ErrorClass, failed

MAX_EVENT_BYTES = 16 * 2**20
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event. `name` is `message` if the stream does not name it."""

    name: str
    data: str


class EventDecoder:
    r"""Bytes in, whole events out, each as soon as its blank line is here.

    Source:    WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream).
    Differs:   `id` and `retry` are ignored, because driftd does not reconnect. An event that ends with the stream and
               without a blank line is dropped, as in the standard.

    >>> decoder = EventDecoder()
    >>> decoder.feed(b"data: a\ndata: b\n"), decoder.feed(b"\n: a comment\n")
    ([], [Event(name='message', data='a\nb')])
    """

    def __init__(self) -> None:
        self._rest = b""
        self._waiting = bytearray()  # parts of an incomplete line: joined once, in linear time
        self._began = False
        self._after_cr = False  # a following line feed belongs to the line that ended
        self._name = ""
        self._data: list[str] = []
        self._bytes = 0

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that these bytes complete. Raise CallError for an event of more than 16 MiB."""
        if not data:
            return []  # no data: a line feed may still belong to the line that ended
        if self._after_cr:
            data, self._after_cr = data.removeprefix(b"\n"), False
        found = [event for line in self._ended(data) if (event := self._take(line)) is not None]
        if self._bytes + len(self._rest) + len(self._waiting) > MAX_EVENT_BYTES:
            raise failed(ErrorClass.MALFORMED_REPLY, f"an event of the stream is longer than {MAX_EVENT_BYTES} bytes")
        return found

    def _ended(self, data: bytes) -> list[bytes]:
        """Yield the lines that these bytes complete."""
        self._waiting += data
        if self._began and b"\n" not in data and b"\r" not in data:
            return []
        text, self._waiting = self._rest + bytes(self._waiting), bytearray()
        return self._lines(text)

    def _lines(self, text: bytes) -> list[bytes]:
        """Return the complete lines and keep the start of the next one."""
        if not self._began:
            if _BOM.startswith(text):  # no data yet, or a part of the byte order mark
                self._rest = text
                return []
            text, self._began = text.removeprefix(_BOM), True
        *lines, self._rest = _LINE_END.split(text)
        self._after_cr = bool(lines) and not self._rest and text.endswith(b"\r")
        return lines

    def _take(self, line: bytes) -> Event | None:
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
            self._bytes += len(value)
        elif field == b"event":
            self._name = text
        return None

    def _dispatch(self) -> Event | None:
        data, name = self._data, self._name
        self._data, self._name, self._bytes = [], "", 0
        return Event(name=name or "message", data="\n".join(data)) if data else None
