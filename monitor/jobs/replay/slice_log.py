"""The records of the calls of one slice."""

import threading
from collections import Counter
from collections.abc import Sequence

from monitor.clock import Clock
from monitor.domain.evalset import Replayed
from monitor.store.engine.database import Store
from monitor.store.runs import spending
from monitor.store.sets import access_log as access
from replay.call_log import CallStart
from replay.run.budget import Spent


class SliceCallLog:
    """Implements CallLog. The access log gets all calls of a slice before its first request, in one write, because a
    lake stores a file for each write of it; only repeated calls are written later. So the access log has a call of a
    slice that ended before it was sent, and never misses one.
    """

    def __init__(
        self, store: Store, clock: Clock, deployment: str, replayed: Replayed | None, cases: Sequence[str]
    ) -> None:
        """`cases` are the ids of the cases without an outcome."""
        self._store, self._clock, self._deployment, self._replayed = store, clock, deployment, replayed
        self._lock = threading.Lock()  # protects _recorded
        self._recorded = Counter(cases)
        if replayed is not None and cases:
            now = clock.now()
            with store.append() as tx:
                access.record(tx, replayed, [CallStart(case_id=each, at=now) for each in cases])

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent) -> None:
        again = self._not_recorded(started) if self._replayed is not None else []
        with self._store.write() as tx:
            if again and self._replayed is not None:
                access.record(tx, self._replayed, again)
            spending.record(tx, run_id, self._deployment, self._clock.now(), started=len(started), ended=ended)

    def _not_recorded(self, started: Sequence[CallStart]) -> list[CallStart]:
        again = []
        with self._lock:
            for call in started:
                if self._recorded[call.case_id] > 0:
                    self._recorded[call.case_id] -= 1
                else:
                    again.append(call)
        return again
