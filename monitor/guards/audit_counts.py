"""Count what happens too often for an entry of its own in the audit log, until the entry of its period is due."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from monitor.clock import Clock, SystemClock
from monitor.domain.audit import Action, AuditKind

NO_TIME: Final = datetime.min.replace(tzinfo=UTC)
MINUTE: Final = timedelta(minutes=1)
HOUR: Final = timedelta(hours=1)
PERIODS: Final = {
    AuditKind.LOGIN_FAILED: MINUTE,
    AuditKind.REFUSED: MINUTE,
    AuditKind.INGEST: HOUR,
    AuditKind.READ: HOUR,
}
MOST: Final = 1_000  # counts in memory, and entries of one minute: further senders are counted together
MOST_SENDERS: Final = 10_000  # with a recent login


@dataclass(slots=True)
class _Counted:
    first: Action
    count: int = 1


class AuditCounts:
    """The counts of the current periods. Several threads may use it at the same time.

    A process that is killed loses the counts of at most one period: one minute of failures, one
    hour of ingest and reads.
    """

    def __init__(self, clock: Clock | None = None, *, logins: bool = True) -> None:
        """Without `logins`, the first request of a sender is no login: a command calls the API of its own process."""
        self._clock, self._logins = clock or SystemClock(), logins
        self._lock = threading.Lock()  # protects the fields below
        self._counted: dict[Action, _Counted] = {}
        self._entries: list[Action] = []
        self._logged_in: dict[tuple[str, str], datetime] = {}

    def now(self) -> datetime:
        return self._clock.now()

    def count(self, action: Action) -> None:
        """Count an action of a kind in PERIODS."""
        with self._lock:
            key = replace(action, at=NO_TIME, request_id=None)
            if key not in self._counted and len(self._counted) >= MOST:
                action = replace(action, principal=None, deployment=None, address=None)
                key = replace(action, at=NO_TIME, request_id=None)
            found = self._counted.get(key)
            if found is None:
                self._counted[key] = _Counted(replace(action, request_id=None))
            else:
                found.count += 1

    def failed(self, operation: str, address: str) -> None:
        """Count a request with an unknown token or an invalid signature. `operation` is what it called."""
        self.count(Action(at=self._clock.now(), kind=AuditKind.LOGIN_FAILED, operation=operation, address=address))

    def ingested(self, principal: str, operation: str, address: str) -> None:
        """Count an authorized request with telemetry."""
        self.seen(principal, address)
        now = self._clock.now()
        self.count(Action(at=now, kind=AuditKind.INGEST, operation=operation, principal=principal, address=address))

    def seen(self, principal: str, address: str, how: str = "token") -> None:
        """Note a request of a known sender: the first one from an address within an hour is a login. `how` is `token`,
        `user` for an ID token, or `signature` for a callback.
        """
        if not self._logins:
            return
        now, key = self._clock.now(), (principal, address)
        with self._lock:
            last = self._logged_in.get(key)
            if last is not None and now - last < HOUR:
                return
            if len(self._logged_in) >= MOST_SENDERS:
                self._logged_in = {each: at for each, at in self._logged_in.items() if now - at < HOUR}
            if len(self._logged_in) < MOST_SENDERS:
                self._logged_in[key] = now
            if len(self._entries) < MOST:
                login = Action(at=now, kind=AuditKind.LOGIN, operation=how, principal=principal, address=address)
                self._entries.append(login)

    def take(self, *, everything: bool = False) -> list[Action]:
        """Return and forget the entries whose period is over, in the order of their times."""
        now = self._clock.now()
        with self._lock:
            due = [
                key
                for key, each in self._counted.items()
                if everything or now - each.first.at >= PERIODS[each.first.kind]
            ]
            counted = [self._counted.pop(key) for key in due]
            entries, self._entries = self._entries, []
        return sorted(
            [*entries, *(replace(each.first, count=each.count) for each in counted)], key=lambda each: each.at
        )

    def put_back(self, actions: list[Action]) -> None:
        """Return entries that could not be stored."""
        with self._lock:
            self._entries = [*actions, *self._entries][: 2 * MOST]

    def store(self, write: Callable[[list[Action]], None], *, everything: bool = False) -> int:
        """Pass the entries that are due to `write`. When it fails, they are due again."""
        actions = self.take(everything=everything)
        if not actions:
            return 0
        try:
            write(actions)
        except BaseException:
            self.put_back(actions)
            raise
        return len(actions)
