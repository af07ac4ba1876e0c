"""The queue of slices: who may take one, with which calls and which part of the budgets, and at which pace."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from time import monotonic, sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.clock import SystemClock
from monitor.domain.slice import Slice, SliceCalls, SlicedBudget, SlicedRun, SliceResult
from monitor.errors import LeaseLost
from monitor.jobs.replay.shared_pace import SharedPace
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lease import Lease
from monitor.store.lake.slices import ATTEMPTS, SlicePlans, SliceWork
from monitor.store.lake.status import SlicedRunStatus, lake_status
from monitor.store.runs import spending
from replay.run.budget import Budget, Spent
from replay.run.rate_limit import PaceLimits
from tests.store.lake.lakes import Lakes

AT = datetime(2026, 11, 28, tzinfo=UTC)
EXPIRES_S = 1.0
RUN = SlicedRun(
    run_id="run-1",
    deployment="bot",
    target="model",
    concurrency=8,
    budgets=[SlicedBudget(budget=Budget())],
    expected=Spent(),
    seconds=None,
)
DONE = SliceResult(done=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    store: LakeStore
    plans: SlicePlans
    lease: Lease
    work: SliceWork
    other: SliceWork
    database: str

    def plan(self, run: SlicedRun = RUN, slices: int = 3, calls: int = 10) -> None:
        numbers = range(slices)
        self.plans.plan(run, [SliceCalls(sample=0, positions=list(range(n * calls, (n + 1) * calls))) for n in numbers])

    def workers(self, more: int) -> None:
        """Let other processes count as workers."""
        for number in range(more):
            self.store.call("see_worker", f"worker-{number}", "work", "host")

    def take(self) -> Slice:
        taken = self.work.take()
        assert taken is not None
        return taken

    def spend(self, requests: int, *, tokens: int = 0, usd: float = 0.0, run_id: str = RUN.run_id) -> None:
        with self.store.write() as tx:
            ended = Spent(requests=requests, tokens=tokens, usd=usd)
            spending.record(tx, run_id, "bot", AT, started=requests, ended=ended)

    def stopped_by(self) -> str | None:
        progress = self.plans.progress(RUN.run_id, RUN.budgets)
        assert progress is not None
        return progress.stopped_by


@pytest.fixture
def queue(lakes: Lakes) -> Iterator[Queue]:
    name = lakes.create()
    stores = [lakes.open(name, SystemClock()) for _ in range(2)]
    lease = stores[0].lease("control")
    lease.renew()
    work, other = (SliceWork(each, renew_s=0.2, expires_s=EXPIRES_S) for each in stores)
    try:
        work.appear()
        plans = SlicePlans(stores[0], lease)
        yield Queue(store=stores[0], plans=plans, lease=lease, work=work, other=other, database=name)
    finally:
        for store in stores:
            store.close()


def within(limits: Budget, period: str = "", since: str | None = None) -> SlicedRun:
    return replace(RUN, budgets=[SlicedBudget(budget=limits, period=period, since=since)])


def test_slices_are_taken_in_their_order_and_once(queue: Queue) -> None:
    queue.workers(3)
    queue.plan()
    taken = [queue.work.take(), queue.other.take(), queue.work.take(), queue.other.take()]
    assert [each and each.number for each in taken] == [1, 2, 3, None]
    assert [each.fresh for each in taken if each] == [True] * 3


def test_together_the_slices_have_the_calls_of_the_target(queue: Queue) -> None:
    queue.other.appear()
    queue.plan(replace(RUN, concurrency=5))
    taken = [queue.work.take(), queue.other.take(), queue.work.take()]
    assert [each and each.permits for each in taken] == [3, 2, None]
    assert taken[0] is not None
    queue.work.end(taken[0], DONE)
    assert queue.take().permits == 3


def test_runs_of_one_target_share_its_calls(queue: Queue) -> None:
    queue.plan()
    queue.plan(replace(RUN, run_id="run-2", deployment="other"))
    assert queue.take().permits == 8
    assert queue.other.take() is None


def test_the_run_with_the_fewest_slices_at_work_is_next(queue: Queue) -> None:
    for number in (1, 2):
        queue.plan(replace(RUN, run_id=f"run-{number}", target=f"model-{number}"))
    queue.workers(3)
    assert [queue.take().run_id for _ in range(2)] == ["run-1", "run-2"]


def test_a_slice_of_an_ended_process_is_taken_again_and_its_writes_are_refused(queue: Queue) -> None:
    queue.plan()
    first, stop = queue.take(), threading.Event()
    sleep(EXPIRES_S + 0.2)
    again = queue.other.take()
    assert again is not None
    assert (again.number, again.epoch, again.fresh) == (1, 2, False)
    with (
        pytest.raises(LeaseLost),
        queue.work.holding(first, stop) as store,
        store.write() as tx,
    ):
        spending.record(tx, "run-1", "bot", AT, started=1, ended=Spent())
    assert not queue.work.end(first, DONE)
    assert queue.other.end(again, DONE)


def test_requests_are_recorded_while_the_slice_is_held(queue: Queue) -> None:
    queue.plan()
    first = queue.take()
    queue.work.record(first, "bot", AT, started=3, ended=Spent(requests=1, tokens=7, usd=0.5))
    with queue.store.read() as tx:
        assert spending.of_run(tx, "run-1") == Spent(requests=3, tokens=7, usd=0.5)
        assert spending.since(tx, AT) == {"bot": Spent(requests=3, tokens=7, usd=0.5)}
    queue.plans.remove(RUN.run_id)
    with pytest.raises(LeaseLost):
        queue.work.record(first, "bot", AT, started=1, ended=Spent())


def test_a_slice_that_is_held_is_not_taken_and_ends_with_its_run(queue: Queue) -> None:
    queue.workers(1)
    queue.plan(slices=1)
    stop = threading.Event()
    taken = queue.take()
    with queue.work.holding(taken, stop):
        sleep(2 * EXPIRES_S)
        assert queue.other.take() is None
        assert not stop.is_set()
        queue.plans.stop(RUN.run_id)
        assert stop.wait(5)
    assert queue.work.end(taken, SliceResult(done=False))
    assert queue.other.take() is None
    queue.plans.remove(RUN.run_id)
    assert queue.plans.progress(RUN.run_id, RUN.budgets) is None


def test_after_the_run_is_removed_its_workers_cannot_write(queue: Queue) -> None:
    queue.plan()
    taken = queue.take()
    queue.plans.remove(RUN.run_id)
    with pytest.raises(LeaseLost), queue.work.holding(taken, threading.Event()) as store, store.write() as tx:
        spending.record(tx, "run-1", "bot", AT, started=1, ended=Spent())


def test_a_slice_that_ends_its_processes_ends_the_run(queue: Queue) -> None:
    queue.plan(slices=1)
    for _ in range(ATTEMPTS):
        queue.take()
        sleep(EXPIRES_S + 0.1)
    assert queue.work.take() is None
    progress = queue.plans.progress(RUN.run_id, RUN.budgets)
    assert progress is not None
    assert progress.problem == "slice 1 was begun 5 times by processes that ended without a result"


def test_an_earlier_leader_plans_nothing(queue: Queue, lakes: Lakes) -> None:
    queue.plan(slices=1)
    lakes.server.run("UPDATE commits.lease SET epoch = epoch + 1 WHERE name = 'control'", queue.database)
    with pytest.raises(LeaseLost):
        queue.plan()
    with pytest.raises(LeaseLost):
        queue.plans.stop(RUN.run_id)
    with pytest.raises(LeaseLost):
        queue.plans.remove(RUN.run_id)


def test_each_slice_gets_a_part_of_the_budget_and_the_rest_waits_for_what_it_leaves(queue: Queue) -> None:
    queue.workers(3)
    queue.plan(within(Budget(requests=35)))
    first = queue.take()
    assert first.budget.requests == 20  # two for each call
    assert queue.other.take() is None  # 15 are left, and the first may give some back
    queue.spend(10)
    queue.work.end(first, DONE)
    second = queue.take()
    assert second.budget.requests == 20
    queue.spend(20)
    queue.work.end(second, SliceResult(done=False, stopped_by="requests"))
    third = queue.take()
    assert third.number == 2
    assert third.budget.requests == 5
    queue.spend(5)
    queue.work.end(third, SliceResult(done=False, stopped_by="requests"))
    assert queue.stopped_by() == "requests"
    assert queue.work.take() is None


def test_a_spent_budget_ends_the_run(queue: Queue) -> None:
    queue.spend(100, run_id="run-0")
    queue.plan(within(Budget(requests=100), " of the day", "2026-11-27T00:00:00+00:00"))
    assert queue.work.take() is None
    assert queue.stopped_by() == "requests of the day"


def test_what_was_spent_before_the_period_does_not_count(queue: Queue) -> None:
    queue.spend(100, run_id="run-0")
    queue.plan(within(Budget(requests=100), " of the day", "2026-11-29T00:00:00+00:00"))
    assert queue.take().budget.requests == 20


@pytest.mark.parametrize("kind", ["tokens", "usd"])
def test_tokens_and_cost_are_given_by_the_most_expensive_reply(queue: Queue, kind: str) -> None:
    budget = Budget(tokens=1000) if kind == "tokens" else Budget(usd=1000.0)
    expected = Spent(tokens=10, usd=10.0)
    queue.workers(3)
    queue.plan(replace(within(budget), expected=expected))
    taken = [queue.work.take() for _ in range(3)]
    assert [getattr(each.budget, kind) for each in taken if each] == [200, 200, 200]
    queue.plans.remove(RUN.run_id)
    queue.plan(replace(within(budget), run_id="run-2"))
    assert getattr(queue.take().budget, kind) == 125  # an eighth, while no reply is known


def test_the_seconds_of_a_run_end_it(queue: Queue) -> None:
    queue.plan(replace(RUN, seconds=0.3))
    taken = queue.take()
    assert taken.budget.seconds is not None
    assert 0.0 < taken.budget.seconds <= 0.3
    sleep(0.4)
    assert queue.other.take() is None
    assert queue.stopped_by() == "seconds"


def test_the_first_problem_ends_the_run(queue: Queue) -> None:
    queue.workers(3)
    queue.plan()
    first, second = queue.take(), queue.take()
    queue.work.end(first, SliceResult(done=False, problem="it's away", outage=True))
    queue.work.end(second, SliceResult(done=False, problem="another"))
    progress = queue.plans.progress(RUN.run_id, RUN.budgets)
    assert progress is not None
    assert (progress.problem, progress.outage, progress.wanted, progress.open) == ("it's away", True, False, 3)


def test_workers_are_counted_while_they_are_there(queue: Queue) -> None:
    assert queue.plans.workers() == 1
    queue.other.appear()
    assert queue.plans.workers() == 2
    queue.other.leave()
    assert queue.plans.workers() == 1


def test_the_status_shows_workers_and_slices(queue: Queue, lakes: Lakes) -> None:
    queue.workers(1)
    queue.plan()
    taken = queue.take()
    assert queue.plans.counts() == {"open": 3, "at_work": 1}
    queue.work.end(taken, DONE)
    found = lake_status(lakes.server.url(queue.database), str(lakes.data))
    assert [one.role for one in found.processes] == ["work", "work"]
    assert found.sliced_runs == (SlicedRunStatus(run_id="run-1", open=2, at_work=0),)


def reserve(
    queue: Queue, requests: int, tokens: float = 0.0, *, slow: bool = False, hold_s: float = 0.0
) -> list[float]:
    """Return the seconds from now until each request may be sent."""
    limits = PaceLimits(requests_per_minute=600.0, tokens_per_minute=60_000.0)
    found = queue.work.reserve("model", requests, tokens, limits, slow=slow, hold_s=hold_s)
    return [
        max(
            found["wait_s"] + n * found["interval_s"],
            found["tokens_wait_s"] + n * found["tokens_interval_s"],
            found["held_s"],
            0.0,
        )
        for n in range(requests)
    ]


def test_requests_have_the_times_of_the_pace(queue: Queue) -> None:
    times = reserve(queue, 30) + reserve(queue, 30)
    assert times[:20] == [0.0] * 20  # the burst of 2 s
    assert times[20] == pytest.approx(0.0, abs=1e-3)
    assert times[29] == pytest.approx(0.9, abs=1e-3)
    assert times[59] == pytest.approx(3.9, abs=0.2)  # some time passed between the two


def test_tokens_delay_requests(queue: Queue) -> None:
    assert reserve(queue, 2, 10_000.0)[0] == 0.0
    assert reserve(queue, 1)[0] == pytest.approx(8.0, abs=0.3)
    assert reserve(queue, 1, -5_000.0)[0] == pytest.approx(8.0, abs=0.5)
    assert reserve(queue, 1)[0] == pytest.approx(3.0, abs=0.7)  # replies used fewer


def test_a_refusal_halves_the_pace_of_all_and_a_hold_delays_all(queue: Queue) -> None:
    began = monotonic()
    reserve(queue, 40)
    slower = reserve(queue, 2, slow=True)
    assert slower[1] - slower[0] == pytest.approx(0.2, abs=1e-3)
    held = reserve(queue, 1, hold_s=30.0)
    assert held[0] == pytest.approx(30.0, abs=0.1)
    assert reserve(queue, 1)[0] == pytest.approx(30.0 - (monotonic() - began), abs=2.0)


def test_requests_of_two_processes_have_one_pace(queue: Queue) -> None:
    """One second of requests, twice as many as wait at once: each process reserves for half a second."""
    limits = PaceLimits(requests_per_minute=6_000.0)

    async def times() -> list[float]:
        paces = [SharedPace("model", limits, work, monotonic, share=0.5) for work in (queue.work, queue.other)]
        waits = await asyncio.gather(*(pace.turn() for pace in paces for _ in range(200)))
        now = monotonic()
        return sorted(now + wait_s for wait_s in waits if wait_s > 0.1)

    found = asyncio.run(times())
    assert len(found) > 150  # 200 of the 400 may be sent at once
    assert 100.0 * (found[-1] - found[0]) == pytest.approx(len(found), rel=0.2)


def test_reservations_at_the_same_moment_wait_for_each_other(queue: Queue) -> None:
    limits = PaceLimits(requests_per_minute=60_000.0)

    def reserve(work: SliceWork) -> None:
        for target in range(40):  # the first reservation of a target adds its row
            for _ in range(3):
                work.reserve(f"model-{target}", 1, 0.0, limits, slow=False, hold_s=0.0)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(reserve, work) for work in (queue.work, queue.other)]:
            done.result()


def test_a_refusal_and_a_hold_drop_the_reserved_times(queue: Queue) -> None:
    pace = SharedPace("model", PaceLimits(requests_per_minute=600.0), queue.work, monotonic, share=1.0)

    async def after(step: Callable[[], None]) -> float:
        await pace.turn()
        step()
        return await pace.turn()

    assert asyncio.run(after(lambda: pace.used(10))) == 0.0
    assert asyncio.run(after(lambda: pace.hold(30.0))) == pytest.approx(30.0, abs=1.0)


@settings(max_examples=25, deadline=None)
@given(batches=st.lists(st.integers(min_value=1, max_value=40), min_size=1, max_size=6))
def test_batches_have_the_pace_of_single_requests(lakes: Lakes, batches: list[int]) -> None:
    """No two processes get the same time after the burst, whatever they reserve at once."""
    name = lakes.create()
    store = lakes.open(name, SystemClock())
    try:
        work, limits = SliceWork(store), PaceLimits(requests_per_minute=600.0)
        times = []
        for batch in batches:
            at = monotonic()
            found = work.reserve("model", batch, 0.0, limits, slow=False, hold_s=0.0)
            times += [at + found["wait_s"] + n * found["interval_s"] for n in range(batch)]
    finally:
        store.close()
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert all(gap == pytest.approx(0.1, abs=0.09) for gap in gaps)
