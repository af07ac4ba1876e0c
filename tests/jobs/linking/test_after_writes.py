"""A search of the whole store runs after a write and once a minute, not every two seconds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.jobs.linking.after_writes import LONGEST_S, AfterWrites
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions
from tests.store.build import HandClock, interaction


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def store(tmp_path: Path, clock: HandClock) -> Iterator[Store]:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    yield opened
    opened.close()


def search(after_writes: AfterWrites, store: Store, found: int = 0) -> None:
    writes = store.writes
    after_writes.searched(writes, found)


def test_the_first_search_is_due_and_the_next_one_waits_for_a_write(store: Store, clock: HandClock) -> None:
    after_writes = AfterWrites(store, clock)
    assert after_writes.due()
    search(after_writes, store)
    assert not after_writes.due()
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    assert after_writes.due()


def test_a_write_during_a_search_makes_the_next_one_due(store: Store, clock: HandClock) -> None:
    after_writes = AfterWrites(store, clock)
    writes = store.writes
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    after_writes.searched(writes, 0)
    assert after_writes.due()


def test_a_search_that_found_something_goes_on(store: Store, clock: HandClock) -> None:
    after_writes = AfterWrites(store, clock)
    search(after_writes, store, found=3)
    assert after_writes.due()


def test_without_a_write_a_search_is_due_once_a_minute(store: Store, clock: HandClock) -> None:
    after_writes = AfterWrites(store, clock)
    search(after_writes, store)
    clock.seconds += LONGEST_S - 1
    assert not after_writes.due()
    clock.seconds += 1
    assert after_writes.due()


def test_a_write_without_a_changed_row_is_none(store: Store, clock: HandClock) -> None:
    after_writes = AfterWrites(store, clock)
    search(after_writes, store)
    with store.write():
        pass
    assert not after_writes.due()
