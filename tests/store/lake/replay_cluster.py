"""A run that several processes with one lake replay, and what they stored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from monitor.store.lake.lake_store import LakeStore
from tests.kills.process import DEPLOYMENT, SET, Daemon
from tests.kills.waiting import until

CONCURRENCY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A process that leads, its workers, a store to look at the result, and the number of calls of the endpoint."""

    leader: Daemon
    workers: list[Daemon]
    calls: Callable[[], int]
    stop_endpoint: Callable[[], None]
    store: LakeStore

    def begin(self) -> str:
        return str(self.leader.post("runs", {"deployment": DEPLOYMENT, "set_name": SET})["id"])

    def at_work(self, calls: int) -> None:
        before = self.calls()
        until(lambda: self.calls() > before + calls, "the run is at work")

    def complete(self, run_id: str, state: str = "complete") -> dict[str, Any]:
        until(lambda: self.leader.get(f"runs/{run_id}")["state"] == state, f"the run is {state}")
        return self.leader.get(f"runs/{run_id}")

    def stored(self, run_id: str) -> tuple[int, int]:
        """Return the outcomes of a run and the different samples among them."""
        sql = "SELECT count(*), count(DISTINCT (case_id, sample)) FROM lake.main.outcome WHERE run_id = ?"
        return self._one(sql, run_id)

    def passed(self, run_id: str) -> int:
        """Return the outcomes of a run that passed."""
        sql = "SELECT count(DISTINCT case_id), 0 FROM lake.main.score WHERE run_id = ? AND value = 1.0"
        return self._one(sql, run_id)[0]

    def requests(self, run_id: str) -> tuple[int, int]:
        """Return the recorded requests of a run, and those of them that have not ended."""
        sql = "SELECT sum(requests)::BIGINT, sum(open)::BIGINT FROM control.main.replay_spend WHERE run_id = ?"
        return self._one(sql, run_id)

    def requests_are_recorded(self, run_id: str, *, kills: int) -> None:
        """Each request is recorded before it is sent, so a killed worker may leave some that were never sent."""
        recorded, not_ended = self.requests(run_id)
        assert not_ended == 0
        assert self.calls() <= recorded <= self.calls() + kills * CONCURRENCY

    def left(self) -> tuple[int, int]:
        """Return the slices and the leases of slices that are still there."""
        sql = (
            "SELECT (SELECT count(*) FROM control.commits.slice),"
            " (SELECT count(*) FROM control.commits.lease WHERE starts_with(name, 'slice_'))"
        )
        return self._one(sql)

    def _one(self, sql: str, *values: str) -> tuple[int, int]:
        with self.store._cursor("read") as cursor:
            [(first, second)] = cursor.execute(sql, list(values)).fetchall()
        return int(first), int(second)
