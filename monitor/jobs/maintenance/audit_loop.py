"""Stores the counts of the audit log when their periods end, and verifies its chain once a day."""

import logging
from datetime import datetime, timedelta
from typing import Final

from monitor.clock import Clock
from monitor.domain.audit import START, Action, Head
from monitor.errors import DriftdError
from monitor.guards.audit_counts import AuditCounts
from monitor.store.access import audit
from monitor.store.access.audit_state import AuditChain
from monitor.store.engine.database import Store

log = logging.getLogger(__name__)
VERIFY_EVERY: Final = timedelta(days=1)  # the first verification is at the start
LOG_EVERY: Final = timedelta(hours=1)


class AuditLoop:
    """The loop of the audit log.

    It logs the newest hash every hour in which the log grew. A copy of the logs on another machine so proves that no
    one replaced older entries, even if an attacker calculates the whole chain again.
    """

    name = "audit"
    poll_s = 15.0

    def __init__(self, *, store: Store, clock: Clock, counts: AuditCounts) -> None:
        self.counts, self.chain = counts, AuditChain(store)
        self._store, self._clock = store, clock
        self._verified_at: datetime | None = None
        self._logged_at: datetime | None = None
        self._logged: Head = START

    def step(self) -> int:
        stored = self.counts.store(self._write)
        now = self._clock.now()
        if self._verified_at is None or now - self._verified_at >= VERIFY_EVERY:
            self._verify(now)
        if self._logged_at is None or now - self._logged_at >= LOG_EVERY:
            self._log_head(now)
        return stored

    def close(self) -> None:
        """Store all counts, and log the newest hash."""
        try:
            self.counts.store(self._write, everything=True)
        except DriftdError as error:
            log.warning("the last counts of the audit log are lost: %s", error)
        self._log_head(self._clock.now())

    def _verify(self, now: datetime) -> None:
        broken = self.chain.verify().broken
        self._verified_at = now
        if broken is not None:
            log.error("audit log: %s; see `driftd db audit`", broken.reason)

    def _write(self, actions: list[Action]) -> None:
        with self._store.write() as tx:
            for action in actions:
                audit.record(tx, action)

    def _log_head(self, now: datetime) -> None:
        self._logged_at, head = now, self._store.audit_head
        if head not in {START, self._logged}:
            log.info("audit log: newest entry and hash %s", head)
            self._logged = head
