"""Holders of a lease are killed and frozen: another process takes over, and each row is stored once."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from time import monotonic, sleep

import pytest

from tests.store.build import HandClock
from tests.store.lake.lakes import Lakes

TAKEOVER_S = 15.0
PATIENCE_S = 60.0


class Holder:
    """A process that counts while it holds the lease."""

    def __init__(self, lakes: Lakes, database: str, renew_s: float, expires_s: float) -> None:
        module = [sys.executable, "-m", "tests.store.lake.lease_holder"]
        command = [*module, lakes.server.url(database), str(lakes.data), str(renew_s), str(expires_s)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until(lambda: "ready" in self.lines)

    @property
    def written(self) -> list[tuple[int, int]]:
        """The epoch and the number of each write that was accepted."""
        return [(int(words[0]), int(words[1])) for line in self.lines if len(words := line.split()) == 2]

    def lost(self) -> bool:
        """Return whether the process knows that it does not hold the lease."""
        return self.lines[-1] == "lost"

    def leads_in(self, epoch: int) -> bool:
        written = self.written
        return bool(written) and written[-1][0] == epoch

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.strip())


def until(done: Callable[[], object]) -> float:
    """Wait until `done()`, and return the seconds that it took."""
    began = monotonic()
    while not done():
        assert monotonic() - began < PATIENCE_S, "it did not happen in time"
        sleep(0.01)
    return monotonic() - began


@contextmanager
def processes() -> Iterator[list[Holder]]:
    """Yield a list whose processes end with the block."""
    started: list[Holder] = []
    try:
        yield started
    finally:
        for each in started:
            each.end()


def require_each_row_once(lakes: Lakes, database: str, clock: HandClock, written: list[tuple[int, int]]) -> int:
    """Every number is stored once, also those whose process did not learn of it; control rows follow large ones."""
    store = lakes.open(database, clock)
    with store.read() as tx:
        large = [int(row[0]) for row in tx._cursor.execute("SELECT case_id FROM case_replay").fetchall()]
        control = [int(row[0]) for row in tx._cursor.execute("SELECT run_id FROM replay_spend").fetchall()]
    store.close()
    assert sorted(large) == list(range(len(large)))
    assert len(set(control)) == len(control)
    assert {number for _, number in written} <= set(control) <= set(large)
    assert len({number for _, number in written}) == len(written)
    epochs = [epoch for epoch, _ in sorted(written, key=lambda each: each[1])]
    assert epochs == sorted(epochs)
    return len(large) - len(control)


def take_turns(lakes: Lakes, clock: HandClock, *, times: int, renew_s: float, expires_s: float) -> list[float]:
    """Kill or freeze the leader `times` times. Return the seconds of each takeover."""
    database, rng, takeovers = lakes.create(), Random(11), []
    with processes() as started:

        def start() -> Holder:
            started.append(Holder(lakes, database, renew_s, expires_s))
            return started[-1]

        leader = start()
        until(lambda: leader.written)
        standby = start()
        for epoch in range(2, times + 2):
            sleep(rng.uniform(0, 0.5))
            kill = epoch % 3 == 0
            leader.signal(signal.SIGKILL if kill else signal.SIGSTOP)
            takeovers.append(until(partial(standby.leads_in, epoch)))
            if kill:
                leader.end()
                leader = start()
            else:
                leader.signal(signal.SIGCONT)
                until(leader.lost)
            leader, standby = standby, leader
        assert leader.alive
        assert standby.alive
    written = [each for process in started for each in process.written]
    missing = require_each_row_once(lakes, database, clock, written)
    assert missing <= times, "a control row is missing only where a process was killed or refused between two commits"
    assert lakes.server.run("SELECT epoch FROM commits.lease", database) == str(times + 1)
    return takeovers


def test_a_standby_takes_over_from_a_killed_and_from_a_frozen_leader(lakes: Lakes, clock: HandClock) -> None:
    assert max(take_turns(lakes, clock, times=3, renew_s=2.0, expires_s=10.0)) <= TAKEOVER_S


@pytest.mark.timeout(300)
def test_each_row_is_stored_once_over_30_kills_and_freezes(lakes: Lakes, clock: HandClock) -> None:
    assert max(take_turns(lakes, clock, times=30, renew_s=0.3, expires_s=1.5)) <= TAKEOVER_S
