"""A query whose result is no longer needed ends, whether the query or the interruption comes first."""

import threading
import time
from collections.abc import Callable

import pytest

from monitor.errors import ReadInterrupted
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.interruption import CURRENT, Interruption

LONG = "SELECT sum(a.range * b.range) FROM range(10_000_000) AS a, range(10_000_000) AS b"  # hours
PATIENCE_S = 30.0


def read_long(tx: Tx) -> None:
    tx._cursor.execute(LONG).fetchall()


class Reader:
    """A thread that reads for hours unless it is interrupted."""

    def __init__(self, store: Store, interruption: Interruption | None = None) -> None:
        self._store, self._interruption = store, interruption
        self.error: Exception | None = None
        self.began = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        assert self.began.wait(PATIENCE_S)

    def _run(self) -> None:
        CURRENT.set(self._interruption)
        try:
            with self._store.read() as tx:
                self.began.set()
                read_long(tx)
        except ReadInterrupted as error:
            self.error = error
        finally:
            self.began.set()

    def end_by(self, interrupt: Callable[[], object]) -> None:
        """Interrupt until the thread has ended: the statement may not have started at the first interruption."""
        deadline = time.monotonic() + PATIENCE_S
        while self.thread.is_alive() and time.monotonic() < deadline:
            interrupt()
            self.thread.join(0.05)
        assert not self.thread.is_alive()


def test_a_query_of_a_request_ends_when_the_request_is_given_up(store: Store) -> None:
    interruption = Interruption()
    reader = Reader(store, interruption)
    reader.end_by(interruption.interrupt)
    assert "its client disconnected or driftd stops" in str(reader.error)
    with store.read() as tx:
        assert tx._cursor.execute("SELECT 1").fetchall() == [(1,)]


def test_a_request_that_was_given_up_begins_no_query(store: Store) -> None:
    interruption = Interruption()
    interruption.interrupt()
    before = CURRENT.set(interruption)
    try:
        with pytest.raises(ReadInterrupted), store.read() as tx:
            read_long(tx)
    finally:
        CURRENT.reset(before)


def test_a_stop_interrupts_long_queries_alone(store: Store) -> None:
    reader = Reader(store)
    assert store.interrupt_reads(older_than_s=0.0) == 0  # the test's clock has not moved: it is not long yet
    reader.end_by(lambda: store.interrupt_reads(older_than_s=-1.0))
    assert isinstance(reader.error, ReadInterrupted)


def test_an_interruption_leaves_other_requests_alone(store: Store) -> None:
    mine, other = Interruption(), Interruption()
    reader = Reader(store, mine)
    other.interrupt()
    reader.thread.join(0.2)
    assert reader.thread.is_alive()
    reader.end_by(mine.interrupt)
