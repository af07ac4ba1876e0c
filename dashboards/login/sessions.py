"""The sessions of readers who logged in with an API token. A cookie has the id; the token stays in this process."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

COOKIE: Final = "driftd_session"
IDLE_S: Final = 12 * 3_600.0  # a session ends this long after its last use: one night on call
LONGEST_S: Final = 7 * 86_400.0
MOST: Final = 10_000


@dataclass(slots=True, kw_only=True)
class _Session:
    token: str = field(repr=False)
    started_s: float
    used_s: float


class Sessions:
    """The open sessions, the least recently used first. Several threads may use it at the same time."""

    def __init__(self, now_s: Callable[[], float] = monotonic, most: int = MOST) -> None:
        self._now_s, self._most = now_s, most
        self._lock = threading.Lock()  # protects the sessions
        self._open: OrderedDict[str, _Session] = OrderedDict()

    def start(self, token: str) -> str:
        """Return the id of a new session, 256 random bits. The least recently used one ends when there are too many."""
        id_, now_s = secrets.token_urlsafe(32), self._now_s()
        with self._lock:
            self._open[id_] = _Session(token=token, started_s=now_s, used_s=now_s)
            if len(self._open) > self._most:
                self._open.popitem(last=False)
        return id_

    def token_of(self, id_: str | None) -> str | None:
        """Return the token of a session, None if it has ended or never was."""
        now_s = self._now_s()
        with self._lock:
            session = self._open.pop(id_ or "", None)
            if session is None or now_s - session.used_s > IDLE_S or now_s - session.started_s > LONGEST_S:
                return None
            session.used_s = now_s
            self._open[id_ or ""] = session
            return session.token

    def end(self, id_: str | None) -> None:
        with self._lock:
            self._open.pop(id_ or "", None)


OPEN: Final = Sessions()  # of this process: the login starts them, and the pages read them
