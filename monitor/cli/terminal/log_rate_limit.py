"""Limits repeated log lines: a recurring failure must not fill the disk."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

WINDOW_S: Final = 60.0
LINES: Final = 30  # of one kind per window
KINDS: Final = 1_000  # in memory


@dataclass(slots=True)
class _Window:
    began_s: float
    lines: int = 0
    dropped: int = 0


class RepeatLimit(logging.Filter):
    """Passes the first records of each kind in a minute. The first record afterwards has the number of dropped ones.

    A kind is the logger, the level and the message template.
    """

    def __init__(self, now_s: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._lock = threading.Lock()  # protects the windows: records come from all threads
        self._windows: dict[tuple[str, int, str], _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now_s = (record.name, record.levelno, str(record.msg)[:500]), self._now_s()
        with self._lock:
            window = self._windows.get(kind)
            dropped = 0
            if window is None or now_s - window.began_s >= WINDOW_S:
                dropped = window.dropped if window else 0
                self._make_room(kind, now_s)
                window = self._windows[kind] = _Window(began_s=now_s)
            window.lines += 1
            if window.lines > LINES:
                window.dropped += 1
                return False
        if dropped:
            record.msg, record.args = f"{record.getMessage()} ({dropped} similar lines were not logged)", None
        return True

    def _make_room(self, kind: tuple[str, int, str], now_s: float) -> None:
        """Remove expired windows, or the oldest one if none is expired."""
        self._windows.pop(kind, None)
        if len(self._windows) < KINDS:
            return
        for old in [k for k, window in self._windows.items() if now_s - window.began_s >= WINDOW_S]:
            del self._windows[old]
        if len(self._windows) >= KINDS:
            del self._windows[next(iter(self._windows))]
