"""The calls of a slice are in the access log before its first request; requests are recorded as they come."""

from datetime import datetime

from monitor.clock import SystemClock
from monitor.domain.evalset import Replayed
from monitor.jobs.replay.slice_log import SliceCallLog
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.sets import access_log as access
from replay.call_log import CallStart
from replay.run.budget import Spent
from tests.store.build import at

REPLAYED = Replayed(
    kind="replay", deployment="bot", set_name="primes", revision="r1", run_id="run-1", provider="model.test", model="m"
)


def calls_of(store: Store, case_id: str) -> int:
    with store.read() as tx:
        return sum(entry.calls for entry in access.page(tx, "primes", case_id, PageQuery()).items)


def test_calls_that_were_taken_back_are_not_written_again(store: Store) -> None:
    recorded: list[tuple[int, int]] = []

    def record(at: datetime, *, started: int, ended: Spent) -> None:
        recorded.append((started, ended.requests))

    log = SliceCallLog(store, SystemClock(), record, REPLAYED, ["a", "b"])
    a, b = CallStart(case_id="a", at=at(1)), CallStart(case_id="b", at=at(1))
    log.record("run-1", [a, b], Spent())
    log.record("run-1", [], Spent(requests=1), [b])
    assert recorded == [(2, 0), (-1, 1)]
    log.record("run-1", [b], Spent())
    assert (calls_of(store, "a"), calls_of(store, "b")) == (1, 1)
    log.record("run-1", [b], Spent())
    assert calls_of(store, "b") == 2  # a retry
