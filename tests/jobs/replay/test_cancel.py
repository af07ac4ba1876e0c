"""A person cancels a run that is planned, waiting or running."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from monitor.domain.run import RunState
from monitor.jobs.replay import cancel as cancelling
from monitor.jobs.replay.cancel_loop import CancelLoop
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import findings
from monitor.store.runs import outcomes, runs
from tests.jobs.replay_house import CASES, Gate, House


def cancel(house: House, run_id: str) -> None:
    """Do the same as POST /api/v1/runs/{id}/cancel."""
    with house.store.write() as tx:
        runs.cancel(tx, run_id, house.clock.now(), "cancelled by anna")
    house.queue.cancel(run_id)


@contextmanager
def at_work(folder: Path) -> Iterator[tuple[House, Gate, str, "Future[int]"]]:
    house, gate = House(folder), Gate()
    house.models["support"] = gate
    run_id = house.plan()
    with ThreadPoolExecutor(1) as threads:
        step = threads.submit(house.loop.step)
        assert gate.reached.wait(10)
        try:
            yield house, gate, run_id, step
        finally:
            gate.open.set()


def stored(house: House, run_id: str) -> int:
    with house.store.read() as tx:
        return len(outcomes.answered(tx, run_id))


def test_calls_in_flight_are_answered_and_stored_and_no_other_begins(tmp_path: Path) -> None:
    with at_work(tmp_path) as (house, gate, run_id, step):
        cancel(house, run_id)
        gate.open.set()
        assert step.result(30) == 1
        run = house.run(run_id)
        assert (run.state, run.error, run.finished_at) == (RunState.CANCELLED, "cancelled by anna", house.clock.now())
        assert len(gate.asked) == stored(house, run_id) == 4 < CASES
        assert house.loop.step() == 0
        assert house.queue.sets == frozenset()


def test_a_run_that_another_process_cancelled_ends_as_well(tmp_path: Path) -> None:
    with at_work(tmp_path) as (house, gate, run_id, step):
        watching = CancelLoop(store=house.store, queue=house.queue)
        watching.step()
        with house.store.write() as tx:
            runs.cancel(tx, run_id, house.clock.now(), "cancelled by anna")
        watching.step()
        gate.open.set()
        assert step.result(30) == 1
        assert house.run(run_id).state is RunState.CANCELLED
        assert len(gate.asked) == stored(house, run_id) == 4 < CASES
        watching.step()


def test_calls_that_hang_are_abandoned_after_a_grace_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling.until_cancelled, "__kwdefaults__", {"grace_s": 0.2})
    with at_work(tmp_path) as (house, _, run_id, step):
        cancel(house, run_id)
        assert step.result(30) == 1  # the calls never end
        assert (house.run(run_id).state, stored(house, run_id)) == (RunState.CANCELLED, 0)


def test_a_cancelled_run_gets_no_verdict(tmp_path: Path) -> None:
    with at_work(tmp_path) as (house, gate, run_id, step):
        cancel(house, run_id)
        gate.open.set()
        step.result(30)
        asks = InvestigationDependencies(rejudge_of=lambda _: Rescoring(house.store, [], None))
        compare = VerdictLoop(store=house.store, policy=house.policy, clock=house.clock, dependencies=asks)
        assert compare.step() == 0
        with house.store.read() as tx:
            assert findings.page(tx, PageQuery()).items == []


def test_a_planned_run_that_is_cancelled_asks_nothing(tmp_path: Path) -> None:
    house = House(tmp_path)
    run_id = house.plan()
    cancel(house, run_id)
    assert house.loop.step() == 0
    assert (house.run(run_id).state, house.model.asked) == (RunState.CANCELLED, [])


def test_a_run_that_is_cancelled_between_its_reading_and_its_start_asks_nothing(tmp_path: Path) -> None:
    house = House(tmp_path)
    run_id = house.plan()
    read = house.run(run_id)
    cancel(house, run_id)
    assert house.loop._take_up(read) == 1
    assert (house.run(run_id).state, house.model.asked) == (RunState.CANCELLED, [])


def test_a_run_that_waits_for_its_target_is_not_tried_again_once_cancelled(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.model.out = True
    run_id = house.played().id
    cancel(house, run_id)
    asked = len(house.model.asked)
    house.later(hours=1)
    assert house.loop.step() == 0
    assert (house.run(run_id).state, len(house.model.asked)) == (RunState.CANCELLED, asked)


def test_a_run_that_ends_while_it_is_cancelled_stays_cancelled(tmp_path: Path) -> None:
    """The state is stored before the loop gets the signal."""
    with at_work(tmp_path) as (house, gate, run_id, step):
        with house.store.write() as tx:
            runs.cancel(tx, run_id, house.clock.now(), "cancelled by anna")
        gate.open.set()
        assert step.result(30) == 1
        assert (house.run(run_id).state, stored(house, run_id)) == (RunState.CANCELLED, CASES)
