"""A process of a lake knows which tables were written: by itself at once, by others within seconds."""

from contextlib import closing
from time import monotonic, sleep

from monitor.clock import SystemClock
from monitor.store.engine.database import Store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.written import MAX_AGE_S
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.store.build import interaction, run
from tests.store.lake.lakes import Lakes

STATISTICS_S = 20.0  # PostgreSQL takes up to 10


def store_call(store: Store, id_: str) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction(id_)])


def changed(store: Store, before: dict[str, int]) -> set[str]:
    return {table for table, number in store.written.items() if number != before.get(table)}


def settled(store: LakeStore) -> dict[str, int]:
    """Wait until the statistics of earlier writes have arrived, and return the numbers."""
    before: dict[str, int] = {}
    until = monotonic() + STATISTICS_S
    while monotonic() < until:
        now = dict(store.written)
        if now == before:
            return now
        before = now
        sleep(12.0)
    return dict(store.written)


def test_a_write_of_this_process_counts_at_once_for_its_tables(lakes: Lakes) -> None:
    with closing(lakes.open(lakes.create(), SystemClock())) as store:
        before = settled(store)
        store_call(store, "a")
        assert "interaction" in changed(store, before)
        assert not changed(store, before) & {"run", "candidate", "alert"}


def test_a_write_of_another_process_counts_within_seconds(lakes: Lakes) -> None:
    name = lakes.create()
    with closing(lakes.open(name, SystemClock())) as store, closing(lakes.open(name, SystemClock())) as other:
        before = settled(store)
        with other.write() as tx:
            runs.insert(tx, run("r"))
        store_call(other, "a")
        until = monotonic() + STATISTICS_S
        while not changed(store, before) >= {"run", "interaction"}:
            assert monotonic() < until, changed(store, before)
            sleep(0.2)
        assert not changed(store, before) & {"candidate", "alert"}


def test_the_lease_of_an_idle_process_counts_for_no_table(lakes: Lakes) -> None:
    with closing(lakes.open(lakes.create(), SystemClock())) as store:
        before, lease = settled(store), store.lease("control", renew_s=0.1)
        lease.start()
        sleep(MAX_AGE_S + 1.0)
        assert lease.held
        lease.stop()
        sleep(MAX_AGE_S)
        assert changed(store, before) == set()
