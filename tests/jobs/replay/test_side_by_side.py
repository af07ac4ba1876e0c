"""Replays of several deployments at the same time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from monitor import parts
from monitor.config.tree import Config
from monitor.domain.run import RunState
from monitor.jobs.replay.run_queue import next_run
from tests.jobs.replay_house import CASES, Gate, House
from tests.store.build import at, run


@contextmanager
def slow_and_fast(folder: Path) -> Iterator[tuple[House, Gate, ThreadPoolExecutor]]:
    house, gate = House(folder, deployments=("slow", "fast")), Gate()
    house.models["slow"] = gate
    with ThreadPoolExecutor(2) as threads:
        try:
            yield house, gate, threads
        finally:
            gate.open.set()


def test_a_slow_target_delays_no_other_deployment(tmp_path: Path) -> None:
    with slow_and_fast(tmp_path) as (house, gate, threads):
        slow = house.plan(deployment="slow")
        at_work = threads.submit(house.loops[0].step)
        assert gate.reached.wait(10)
        fast = house.plan(deployment="fast")
        assert house.loops[1].step() == 1
        assert (house.run(fast).state, house.run(slow).state) == (RunState.COMPLETE, RunState.RUNNING)
        assert house.queue.sets == frozenset({"primes"})  # of the slow one: an erasure has to wait
        gate.open.set()
        assert at_work.result(30) == 1
    assert house.run(slow).state is RunState.COMPLETE
    assert house.queue.sets == frozenset()
    assert len(gate.asked) == len(house.models["fast"].asked) == CASES


def test_a_deployment_has_one_run_at_work(tmp_path: Path) -> None:
    with slow_and_fast(tmp_path) as (house, gate, threads):
        house.plan(deployment="slow")
        second = house.plan(deployment="slow")
        at_work = threads.submit(house.loops[0].step)
        assert gate.reached.wait(10)
        assert house.loops[1].step() == 0
        gate.open.set()
        at_work.result(30)
        assert house.loops[1].step() == 1
    assert house.run(second).state is RunState.COMPLETE


def test_a_stop_ends_every_run_at_work_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with slow_and_fast(tmp_path) as (house, gate, threads):
        house.models["fast"] = other = Gate()
        ids = [house.plan(deployment="slow"), house.plan(deployment="fast")]
        at_work = [threads.submit(loop.step) for loop in house.loops]
        assert gate.reached.wait(10)
        assert other.reached.wait(10)
        house.queue.stopping.set()
        gate.open.set()
        other.open.set()
        assert [each.result(30) for each in at_work] == [0, 0]
        assert [house.run(each).state for each in ids] == [RunState.RUNNING] * 2
        assert house.loops[0].step() == 0  # nothing begins any more
        assert 0 < len(gate.asked) < CASES
    house.queue.stopping.clear()
    assert [loop.step() for loop in house.loops] == [1, 1]
    assert [house.run(each).state for each in ids] == [RunState.COMPLETE] * 2
    assert len(gate.asked) == len(other.asked) == CASES


def test_deployments_take_turns() -> None:
    due = [run("a1", deployment="a", planned_at=at(1)), run("b1", deployment="b", planned_at=at(2))]
    targets = {"a": "x", "b": "y"}.get
    assert chosen(next_run(due, [], {}, targets)) == "a1"
    assert chosen(next_run(due, [], {"a": 1}, targets)) == "b1"
    assert chosen(next_run(due, [], {"a": 1, "b": 2}, targets)) == "a1"


def test_an_interrupted_run_goes_before_a_planned_one() -> None:
    due = [run("a1", deployment="a"), run("b1", deployment="b", state=RunState.RUNNING)]
    assert chosen(next_run(due, [], {"b": 1}, {"a": "x", "b": "y"}.get)) == "b1"


def test_deployments_that_share_a_target_wait_for_each_other() -> None:
    due, at_work = [run("b1", deployment="b"), run("c1", deployment="c")], [run("a1", deployment="a")]
    assert chosen(next_run(due, at_work, {}, {"a": "x", "b": "x", "c": "y"}.get)) == "c1"
    assert next_run(due[:1], at_work, {}, {"a": "x", "b": "x"}.get) is None


def test_runs_of_deployments_that_are_gone_do_not_wait_for_each_other() -> None:
    due, at_work = [run("b1", deployment="b")], [run("a1", deployment="a")]
    assert chosen(next_run(due, at_work, {}, lambda _: None)) == "b1"


@pytest.mark.parametrize(
    ("deployments", "limits", "attribution", "loops", "share"),
    [
        (1, {}, 0, 1, 256),
        (4, {"max_calls": 64}, 0, 4, 16),
        (4, {"max_calls": 64}, 10, 4, 12),
        (20, {"max_parallel": 8, "max_calls": 64}, 0, 8, 8),
        (20, {"max_parallel": 8, "max_calls": 3}, 0, 3, 1),
    ],
)
def test_all_runs_together_stay_within_the_global_limits(
    deployments: int, limits: dict[str, int], attribution: int, loops: int, share: int
) -> None:
    config = Config.model_validate(
        {
            "deployments": {
                f"d{n}": {"target": "model", "drift": {"attribution_calls": attribution}} for n in range(deployments)
            },
            "targets": {"model": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}},
            "replay": limits,
        }
    )
    assert (parts.replay_loops(config), parts.call_share(config)) == (loops, share)


def chosen(found: object) -> str | None:
    return getattr(found, "id", None)
