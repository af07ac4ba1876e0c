"""The read position of a source moves in the commit that stores its rows, or the commit is refused."""

from collections.abc import Iterator
from contextlib import ExitStack
from threading import Thread

import pytest

from monitor.errors import OffsetConflict
from monitor.store.engine.database import Store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.traffic import file_positions, interactions, source_positions
from monitor.store.traffic.file_positions import FilePosition
from tests.store.build import HandClock, interaction
from tests.store.lake.lakes import Lakes
from tests.store.traffic.test_file_positions import moved as file_moved
from tests.store.traffic.test_source_positions import moved, stored


@pytest.fixture
def workers(lakes: Lakes, clock: HandClock) -> Iterator[tuple[LakeStore, LakeStore]]:
    """Two processes with one lake."""
    name = lakes.create()
    with ExitStack() as stack:
        opened = [lakes.open(name, clock) for _ in range(2)]
        for each in opened:
            stack.callback(each.close)
        yield opened[0], opened[1]


def store_batch(store: Store, ids: range, *, before: int | None, partition: int = 0) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction(f"{partition}-{n}") for n in ids])
        source_positions.move(tx, [moved(before, ids.stop, partition=partition)])


def rows(store: Store) -> int:
    with store.read() as tx:
        return interactions.count(tx)


def test_a_batch_that_another_process_stored_is_refused_with_its_rows(workers: tuple[LakeStore, LakeStore]) -> None:
    one, other = workers
    store_batch(one, range(3), before=None)
    store_batch(other, range(3, 5), before=3)
    with pytest.raises(OffsetConflict, match="topic calls partition 0 was read from offset 3"):
        store_batch(one, range(3, 9), before=3)
    assert (rows(one), rows(other)) == (5, 5)
    assert stored(one) == stored(other) == {("t-1", 0): 5}
    store_batch(one, range(5, 9), before=5)
    assert rows(other) == 9


def test_a_new_partition_begins_once(workers: tuple[LakeStore, LakeStore]) -> None:
    one, other = workers
    store_batch(one, range(2), before=None)
    with pytest.raises(OffsetConflict):
        store_batch(other, range(2), before=None)
    with pytest.raises(OffsetConflict):
        store_batch(other, range(7, 9), before=7, partition=1)
    assert stored(other) == {("t-1", 0): 2}


def test_processes_store_different_partitions_at_the_same_time(workers: tuple[LakeStore, LakeStore]) -> None:
    def read_partition(store: LakeStore, partition: int) -> None:
        for n in range(5):
            store_batch(store, range(n * 10, n * 10 + 10), before=n * 10 or None, partition=partition)

    threads = [Thread(target=read_partition, args=(store, n)) for n, store in enumerate(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(workers[0]) == 100
    assert stored(workers[0]) == {("t-1", 0): 50, ("t-1", 1): 50}


def test_only_one_of_two_processes_stores_the_batches_of_a_partition(workers: tuple[LakeStore, LakeStore]) -> None:
    refused: list[OffsetConflict] = []

    def read_partition(store: LakeStore) -> None:
        for n in range(5):
            try:
                store_batch(store, range(n * 10, n * 10 + 10), before=n * 10 or None)
            except OffsetConflict as error:
                refused.append(error)

    threads = [Thread(target=read_partition, args=(store,)) for store in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(workers[0]) == 50
    assert stored(workers[0]) == {("t-1", 0): 50}
    assert len(refused) == 5


def test_a_position_moves_when_every_row_is_stored_already(workers: tuple[LakeStore, LakeStore]) -> None:
    one, other = workers
    with one.write() as tx:
        interactions.insert(tx, [interaction("0-0")])
    store_batch(other, range(1), before=None)
    assert (rows(one), stored(one)) == (1, {("t-1", 0): 1})


def test_the_position_of_a_file_moves_with_its_rows(workers: tuple[LakeStore, LakeStore]) -> None:
    one, other = workers
    for n, moves in enumerate(
        ([file_moved(0, 3), file_moved(3, 7)], [file_moved(5, 9)], [file_moved(7, 9), file_moved(0, 2, digest="e")])
    ):
        with one.write() as tx:
            interactions.insert(tx, [interaction(str(n))])
            file_positions.move(tx, moves)
    with other.read() as tx:
        assert file_positions.position_of(tx, "d") == FilePosition(read_to=90, records=9)
        assert file_positions.position_of(tx, "e") == FilePosition(read_to=20, records=2)
    with other.write() as tx:
        interactions.insert(tx, [interaction("last")])
        file_positions.move(tx, [file_moved(9, 12, whole=True)])
    with one.read() as tx:
        assert file_positions.position_of(tx, "d") is None
