"""The slices of runs in PostgreSQL (`sql/lake/slices.sql`): the process that leads plans them, others replay them."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

import duckdb

from monitor.domain.slice import Slice, SliceCalls, SlicedBudget, SlicedRun, SliceProgress, SliceResult
from monitor.errors import LeaseLost, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lease import EXPIRES_S, REFUSED, RENEW_S, Lease, Term
from monitor.store.lake.leased_store import SliceStore
from replay.run.budget import Budget, Spent
from replay.run.rate_limit import BURST_S, PaceLimits

WORK: Final = "work"
ATTEMPTS: Final = 5  # of processes that end without a result, until the run fails
KINDS: Final = ("requests", "tokens", "usd")
HELD, UNWANTED = 1, 2  # results of renew_slice


class SlicePlans:
    """What the process that leads does with slices. Its calls raise LeaseLost after another process took over."""

    def __init__(self, store: LakeStore, lease: Lease, *, seen_s: float = EXPIRES_S) -> None:
        self._store, self._lease, self._seen_s = store, lease, seen_s

    def workers(self) -> int:
        """Return the number of processes that replay slices."""
        return self._store.call("count_workers", WORK, self._seen_s) or 0

    def plan(self, run: SlicedRun, planned: Sequence[SliceCalls]) -> None:
        """Store slices of a run after those that it has, and let the workers begin."""
        document = {
            "run_id": run.run_id,
            "deployment": run.deployment,
            "target": run.target,
            "concurrency": run.concurrency,
            "budgets": _budgets(run.budgets),
            "expected_tokens": run.expected.tokens,
            "expected_usd": run.expected.usd,
            "seconds": run.seconds,
        }
        slices = [{"sample": one.sample, "positions": list(one.positions)} for one in planned]
        self._call("plan_slices", document, slices)

    def progress(self, run_id: str, budgets: Sequence[SlicedBudget]) -> SliceProgress | None:
        """Return the state of the slices of a run, None for a run without slices. `budgets` are those of now."""
        with self._leading() as term:
            found = self._store.call_for_document("watch_slices", term.name, term.epoch, run_id, _budgets(budgets))
        return None if found is None else SliceProgress(**found)

    def stop(self, run_id: str) -> None:
        """Let the workers end the slices of a run after the calls in flight."""
        self._call("stop_slices", run_id)

    def remove(self, run_id: str) -> None:
        """Remove the slices of a run. PostgreSQL refuses the commits of a process that still replays one."""
        self._call("remove_slices", run_id)

    def sliced_runs(self) -> frozenset[str]:
        """Return the ids of the runs that have slices."""
        found = self._store.call_for_document("sliced_runs") or {}
        return frozenset(found)

    def counts(self) -> Mapping[str, int]:
        """Return the number of slices that are `open` in all runs, and of those that are `at_work`."""
        return self._store.call_for_document("count_slices") or {}

    def _call(self, function: str, *arguments: Any) -> None:
        with self._leading() as term:
            self._store.call(function, term.name, term.epoch, *arguments)

    @contextmanager
    def _leading(self) -> Iterator[Term]:
        term = self._lease.required()
        with _refused(term.name):
            yield term


class SliceWork:
    """What a process of the role `work` does with slices."""

    def __init__(self, store: LakeStore, *, renew_s: float = RENEW_S, expires_s: float = EXPIRES_S) -> None:
        self._store, self._renew_s, self._expires_s = store, renew_s, expires_s
        self._host = socket.gethostname()

    def appear(self) -> None:
        """Count as a worker for the next seconds."""
        self._store.call("see_worker", self._store.session, WORK, self._host)

    def leave(self) -> None:
        """Count as a worker no longer."""
        self._store.call("forget_worker", self._store.session)

    def take(self) -> Slice | None:
        """Take a slice that no process replays; None when there is none, or when budgets or the target allow none."""
        workers = self._store.call("count_workers", WORK, self._expires_s) or 1
        found = self._store.call_for_document("take_slice", self._store.session, self._expires_s, workers, ATTEMPTS)
        return None if found is None else _slice(found)

    @contextmanager
    def holding(self, taken: Slice, stop: threading.Event) -> Iterator[Store]:
        """Keep a slice for the block, and yield a store whose writes PostgreSQL refuses once another process has it.
        `stop` is set when the slice is lost, and when its run must end.
        """
        held = _Held(taken)
        done = threading.Event()
        thread = threading.Thread(
            target=self._renew, args=(held, stop, done), name=f"driftd-slice-{taken.number}", daemon=True
        )
        thread.start()
        try:
            yield SliceStore(self._store, held)
        finally:
            done.set()
            thread.join()

    def reserve(
        self,
        target: str,
        requests: int,
        tokens: float,
        limits: PaceLimits,
        *,
        slow: bool,
        hold_s: float,
    ) -> Mapping[str, Any]:
        """Reserve requests of a target, at the pace of all processes. Return their times in seconds from now
        (`commits.reserve_pace`).
        """
        found = self._store.call_for_document(
            "reserve_pace",
            target,
            requests,
            tokens,
            limits.requests_per_minute,
            limits.tokens_per_minute,
            BURST_S,
            slow,
            hold_s,
        )
        assert found is not None
        return found

    def record(self, taken: Slice, deployment: str, at: datetime, *, started: int, ended: Spent) -> None:
        """Record the number of requests that start, and the cost of those that ended, as `spending.record` does. Raises
        LeaseLost when another process has the slice.
        """
        with _refused(taken.lease):
            self._store.call(
                "record_calls",
                taken.lease,
                taken.epoch,
                taken.run_id,
                deployment,
                at.isoformat(),
                started,
                ended.requests,
                ended.tokens,
                ended.usd,
            )

    def end(self, taken: Slice, result: SliceResult) -> bool:
        """Free a slice. Return whether this process still had it."""
        return self._store.call("end_slice", taken.lease, taken.epoch, asdict(result)) == 1

    def _renew(self, held: "_Held", stop: threading.Event, done: threading.Event) -> None:
        while not done.wait(self._renew_s):
            try:
                self.appear()
                state = self._store.call("renew_slice", held.term.name, held.term.epoch, self._expires_s)
            except (duckdb.Error, StoreUnavailable):
                continue  # the lease lasts for a while; PostgreSQL decides when it is over
            if state == UNWANTED:
                stop.set()
            elif state != HELD:
                held.lost = True
                stop.set()
                return


class _Held:
    """The lease of a slice, as its writes ask for it."""

    def __init__(self, taken: Slice) -> None:
        self.term = Term(name=taken.lease, epoch=taken.epoch)
        self.lost = False

    def required(self) -> Term:
        if self.lost:
            raise LeaseLost(f"another process replays {self.term.name}")
        return self.term


@contextmanager
def _refused(lease: str) -> Iterator[None]:
    """Raise LeaseLost when PostgreSQL refuses a call because the term of its lease is over."""
    try:
        yield
    except (duckdb.Error, StoreUnavailable) as error:
        if REFUSED in str(error):
            raise LeaseLost(f"another process holds the lease {lease} now") from error
        raise


def _slice(found: Mapping[str, Any]) -> Slice:
    limits: dict[str, Any] = {"seconds": found["seconds"]}
    limits |= {kind: found[kind] for kind in KINDS if found.get(kind) is not None}
    for kind in ("requests", "tokens"):
        if kind in limits:
            limits[kind] = max(1, int(limits[kind]))
    if limits["seconds"] is not None:
        limits["seconds"] = max(limits["seconds"], 1e-9)  # a budget of 0 s is not valid
    return Slice(
        run_id=found["run_id"],
        number=found["number"],
        calls=SliceCalls(sample=found["sample"], positions=found["positions"]),
        lease=found["lease"],
        epoch=found["epoch"],
        permits=found["permits"],
        budget=Budget(**limits),
        expected=Spent(tokens=round(found["expected_tokens"]), usd=found["expected_usd"]),
        fresh=found["epoch"] == 1,
    )


def _budgets(budgets: Sequence[SlicedBudget]) -> list[dict[str, Any]]:
    return [
        {"period": one.period, "since": one.since} | {kind: getattr(one.budget, kind) for kind in KINDS}
        for one in budgets
    ]
