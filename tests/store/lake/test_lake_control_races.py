"""Processes that check and insert at the same time in control tables without a key insert one row."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Barrier, Thread

import pytest

from monitor.domain.run import RunState
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.write_locks import WriteLocks
from monitor.store.runs import runs
from monitor.store.traffic import interactions, versions
from tests.store.build import START, HandClock, at, interaction, run, version
from tests.store.lake.lakes import Lakes


@pytest.fixture
def processes(lakes: Lakes, clock: HandClock) -> Iterator[list[LakeStore]]:
    name = lakes.create()
    with ExitStack() as stack:
        opened = [lakes.open(name, clock) for _ in range(3)]
        for each in opened:
            stack.callback(each.close)
        yield opened


def at_once(processes: list[LakeStore], work: Callable[[Store, int], None]) -> None:
    """Run `work` for each process at the same time."""
    ready, errors = Barrier(len(processes)), []

    def start(store: Store, number: int) -> None:
        ready.wait()
        try:
            work(store, number)
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [Thread(target=start, args=(store, number)) for number, store in enumerate(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def spend(tx: Tx) -> None:
    row = {"run_id": "r", "deployment": "d", "at": START, "requests": 1, "open": 0, "tokens": 0, "usd": 0.0}
    tx.insert("replay_spend", table_of(TABLES["replay_spend"], [row]))


def test_a_row_that_is_inserted_unless_it_exists_is_inserted_once(processes: list[LakeStore]) -> None:
    def insert_unless_known(store: Store, _: int) -> None:
        for _ in range(5):
            with store.write() as tx:
                if not tx._cursor.execute("SELECT count(*) FROM replay_spend").fetchall()[0][0]:
                    spend(tx)

    at_once(processes, insert_unless_known)
    with processes[0].read() as tx:
        assert tx._cursor.execute("SELECT count(*) FROM replay_spend").fetchall() == [(1,)]


def test_a_version_is_new_to_one_of_the_processes(processes: list[LakeStore]) -> None:
    added: list[bool] = []

    def see(store: Store, _: int) -> None:
        with store.write() as tx:
            added.append(versions.insert(tx, version("v1")))

    at_once(processes, see)
    assert sorted(added) == [False, False, True]


def test_a_run_ends_once(processes: list[LakeStore]) -> None:
    ended: list[int] = []
    with processes[0].write() as tx:
        runs.insert(tx, run("r"))

    def end(store: Store, number: int) -> None:
        with store.write() as tx:
            if runs.is_open(tx, "r"):
                runs.finish(tx, "r", RunState.COMPLETE, None, at(number), None, None)
                ended.append(number)

    at_once(processes, end)
    assert len(ended) == 1


def test_no_write_of_another_process_is_refused(processes: list[LakeStore]) -> None:
    def change(store: Store, number: int) -> None:
        for n in range(5):
            with store.write() as tx:
                runs.insert(tx, run(f"{number}-{n}"))
                interactions.count(tx)

    at_once(processes, change)
    with processes[0].read() as tx:
        assert tx._cursor.execute("SELECT count(*) FROM run").fetchall() == [(15,)]


def test_rows_are_appended_while_another_process_has_the_lock(processes: list[LakeStore]) -> None:
    with WriteLocks(processes[0]._connection) as locks:
        locks.control.take()
        with processes[1].append() as tx:
            interactions.insert(tx, [interaction("a")])
    with processes[1].write() as tx:
        assert interactions.count(tx) == 1
