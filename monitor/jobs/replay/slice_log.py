"""The records of the calls of one slice."""

import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from monitor.clock import Clock
from monitor.domain.evalset import Replayed
from monitor.store.engine.database import Store
from monitor.store.sets import access_log as access
from replay.call_log import CallStart
from replay.run.budget import Spent


class RecordCalls(Protocol):
    """Records the number of requests that start, and the cost of those that ended (`SliceWork.record`)."""

    def __call__(self, at: datetime, *, started: int, ended: Spent) -> None: ...


class SliceCallLog:
    """Implements CallLog. The access log gets all calls of a slice before its first request, in one write, because a
    lake stores a file for each write of it; only repeated calls are written later. So the access log has a call of a
    slice that ended before it was sent, and never misses one.
    """

    def __init__(
        self, store: Store, clock: Clock, record: RecordCalls, replayed: Replayed | None, cases: Sequence[str]
    ) -> None:
        """`record` stores the requests of the slice, and `cases` are the ids of the cases without an outcome."""
        self._store, self._clock, self._record, self._replayed = store, clock, record, replayed
        self._lock = threading.Lock()  # protects _recorded
        self._recorded = Counter(cases)
        if replayed is not None and cases:
            now = clock.now()
            with store.append() as tx:
                access.record(tx, replayed, [CallStart(case_id=each, at=now) for each in cases])

    def record(
        self,
        run_id: str,  # noqa: ARG002 - the slice is of one run
        started: Sequence[CallStart],
        ended: Spent,
        unused: Sequence[CallStart] = (),
    ) -> None:
        if self._replayed is not None and (again := self._not_recorded(started)):
            with self._store.append() as tx:
                access.record(tx, self._replayed, again)
        with self._lock:
            self._recorded.update(call.case_id for call in unused)  # the access log has them already
        self._record(self._clock.now(), started=len(started) - len(unused), ended=ended)

    def _not_recorded(self, started: Sequence[CallStart]) -> list[CallStart]:
        again = []
        with self._lock:
            for call in started:
                if self._recorded[call.case_id] > 0:
                    self._recorded[call.case_id] -= 1
                else:
                    again.append(call)
        return again
