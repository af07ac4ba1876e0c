import resource
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from monitor.errors import StoreUnavailable
from monitor.supervisor import Loop, Supervisor
from monitor.telemetry.instruments import Telemetry


class Stage:
    """A loop that moves numbers from one list to the next."""

    poll_s = 60.0

    def __init__(self, name: str, source: list[Any], sink: list[Any]) -> None:
        self.name, self.source, self.sink = name, source, sink

    def step(self) -> int:
        moved = [self.source.pop(0) for _ in range(len(self.source))]
        self.sink.extend(moved)
        return len(moved)


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    one = Telemetry()
    yield one
    one.close()


def running(loops: Sequence[Loop], telemetry: Telemetry) -> Supervisor:
    supervisor = Supervisor(loops, telemetry)
    supervisor.start()
    return supervisor


def test_settle_waits_until_work_has_passed_all_loops(telemetry: Telemetry) -> None:
    first: list[int] = [1, 2, 3]
    second: list[int] = []
    third: list[int] = []
    # The loops are in reverse order, so one pass is not enough.
    supervisor = running([Stage("late", second, third), Stage("early", first, second)], telemetry)
    supervisor.settle(10)
    assert (first, second, third) == ([], [], [1, 2, 3])
    assert supervisor.stop() == []


def test_an_idle_loop_is_woken_by_name(telemetry: Telemetry) -> None:
    queue: list[str] = []
    done: list[str] = []
    supervisor = running([Stage("mover", queue, done)], telemetry)
    supervisor.settle(10)
    queue.append("row")
    supervisor.wake_one("mover")
    supervisor.settle(10)
    assert done == ["row"]
    supervisor.stop()


def test_settle_names_the_loop_that_still_has_work(telemetry: Telemetry) -> None:
    release = threading.Event()

    class Stuck:
        name, poll_s = "stuck", 60.0

        def step(self) -> int:
            release.wait(30)
            return 0

    supervisor = running([Stuck()], telemetry)
    with pytest.raises(TimeoutError, match="'stuck' still has work"):
        supervisor.settle(0.05)
    release.set()
    assert supervisor.stop() == []


def test_a_crashed_loop_is_reported_and_the_others_continue(
    telemetry: Telemetry, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        name, poll_s = "broken", 60.0

        def step(self) -> int:
            raise ZeroDivisionError

    queue = ["row"]
    done: list[str] = []
    supervisor = running([Stage("mover", queue, done), Broken()], telemetry)
    assert supervisor.crashed.wait(10)
    assert supervisor.states()["broken"] == "crashed: ZeroDivisionError"
    supervisor.stop()
    assert done == ["row"]
    assert "loop broken crashed" in caplog.text


def test_a_temporary_error_is_retried(telemetry: Telemetry) -> None:
    retried = threading.Event()

    class Flaky:
        name, poll_s, tries = "flaky", 60.0, 0

        def step(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise StoreUnavailable("the disk is full")
            retried.set()
            return 0

    supervisor = running([Flaky()], telemetry)
    assert retried.wait(10)
    assert not supervisor.crashed.is_set()
    supervisor.stop()


def test_a_step_without_a_free_descriptor_is_retried(telemetry: Telemetry, tmp_path: Path) -> None:
    """The process really has no free file descriptor during the first attempt."""
    done: list[str] = []

    class Opening:
        name, poll_s = "opening", 60.0

        def step(self) -> int:
            if done:
                return 0
            done.append("tried")
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
            try:
                (tmp_path / "a.sql").open()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            return 0

    supervisor = running([Opening()], telemetry)
    supervisor.settle(30)
    assert not supervisor.crashed.is_set()
    supervisor.stop()


def test_processed_rows_are_counted(telemetry: Telemetry) -> None:
    supervisor = running([Stage("mover", [1, 2], [])], telemetry)
    supervisor.settle(10)
    supervisor.stop()
    assert b"driftd_loop_rows_total{" in telemetry.exposition()
    assert b'loop="mover"' in telemetry.exposition()


def test_a_loop_that_is_not_started_counts_as_idle(telemetry: Telemetry) -> None:
    queue = ["row"]
    done: list[str] = []
    supervisor = Supervisor([Stage("mover", queue, done), Stage("payer", done, [])], telemetry)
    supervisor.start(except_for=("payer",))
    supervisor.settle(10)
    assert (queue, done) == ([], ["row"])
    assert supervisor.states()["payer"] == "not started"
    assert supervisor.stop() == []


def test_a_loop_is_overdue_while_its_step_hangs_or_fails_and_not_while_it_rests(telemetry: Telemetry) -> None:
    hanging, end = threading.Event(), threading.Event()

    class Hanging(Stage):
        def step(self) -> int:
            if self.source:
                hanging.set()
                end.wait(30)
            return super().step()

    source: list[int] = []
    supervisor = Supervisor([Hanging("mover", source, []), Stage("unstarted", [], [])], telemetry)
    assert list(supervisor.overdue()) == list(supervisor.success_ages()) == []
    supervisor.start(except_for=("unstarted",))
    supervisor.settle(10)
    assert [(one.labels, one.value) for one in supervisor.overdue()] == [({"loop": "mover"}, 0.0)]
    [rested] = supervisor.success_ages()
    assert 0 <= rested.value < 10
    supervisor._workers[0]._success = (supervisor._workers[0]._success[0] - 100.0, 60.0)  # type: ignore[index]
    source.append(1)
    supervisor.wake_one("mover")
    assert hanging.wait(10)
    [late] = supervisor.overdue()
    assert 40 <= late.value < 60
    end.set()
    supervisor.settle(10)
    assert [one.value for one in supervisor.overdue()] == [0.0]
    supervisor.stop()


def test_the_loops_of_a_process_that_does_not_lead_stand_by(telemetry: Telemetry) -> None:
    leads = threading.Event()
    queue, done, always_queue, always_done = ["row"], list[str](), ["mine"], list[str]()

    @contextmanager
    def turn() -> Iterator[bool]:
        yield leads.is_set()

    loops = [Stage("led", queue, done), Stage("own", always_queue, always_done)]
    supervisor = Supervisor(loops, telemetry, turn=turn, in_each_process=("own",))
    supervisor.start()
    supervisor.settle(10)
    assert (done, always_done) == ([], ["mine"])
    assert supervisor.states() == {"led": "standby: another process runs the loops", "own": "idle"}
    assert all(gauge.value < 10 for gauge in supervisor.overdue())
    leads.set()
    supervisor.settle(10)
    assert done == ["row"]
    assert supervisor.states()["led"] == "idle"
    assert supervisor.stop() == []


def test_a_term_that_ends_in_a_step_is_retried_and_not_a_crash(telemetry: Telemetry) -> None:
    class Late:
        name, poll_s = "late", 60.0
        steps = 0

        def step(self) -> int:
            self.steps += 1
            if self.steps == 1:
                raise StoreUnavailable("this process does not hold the lease control")
            return 0

    late = Late()
    supervisor = Supervisor([late], telemetry, turn=lambda: nullcontext(True))
    supervisor.start()
    supervisor.settle(10)
    assert late.steps >= 2
    assert not supervisor.crashed.is_set()
    supervisor.stop()
