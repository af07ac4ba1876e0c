from collections.abc import Sequence

import pytest

from monitor.errors import OffsetConflict
from monitor.store.engine.database import Store
from monitor.store.traffic import source_positions as kafka_offsets
from monitor.store.traffic.source_positions import OffsetMove, joined_moves
from tests.store.build import START


def moved(before: int | None, after: int, *, topic_id: str = "t-1", partition: int = 0) -> OffsetMove:
    return OffsetMove(
        cluster_id="c", topic_id=topic_id, topic="calls", partition=partition, before=before, after=after, at=START
    )


def stored(store: Store, cluster_id: str = "c") -> dict[tuple[str, int], int]:
    with store.read() as tx:
        return {(o.topic_id, o.partition): o.next_offset for o in kafka_offsets.of_cluster(tx, cluster_id)}


def move(store: Store, moves: Sequence[OffsetMove]) -> None:
    with store.write() as tx:
        kafka_offsets.move(tx, moves)


def test_a_partition_begins_once_and_moves_on_from_where_it_stands(store: Store) -> None:
    move(store, [moved(None, 7), moved(None, 0, partition=1)])
    move(store, [moved(7, 12), moved(0, 3, partition=1)])
    assert stored(store) == {("t-1", 0): 12, ("t-1", 1): 3}
    assert stored(store, "another cluster") == {}


def test_a_topic_made_again_has_offsets_of_its_own(store: Store) -> None:
    move(store, [moved(None, 7)])
    move(store, [moved(None, 2, topic_id="t-2")])
    assert stored(store) == {("t-1", 0): 7, ("t-2", 0): 2}


@pytest.mark.parametrize("late", [moved(9, 12), moved(3, 5), moved(None, 1)])
def test_what_does_not_begin_where_the_rows_end_is_refused_with_all_beside_it(store: Store, late: OffsetMove) -> None:
    move(store, [moved(None, 7)])
    with pytest.raises(OffsetConflict, match="topic calls partition"):
        move(store, [moved(None, 5, partition=1), late])
    assert stored(store) == {("t-1", 0): 7}


def test_moves_of_several_batches_are_one_a_partition() -> None:
    moves = [moved(None, 2), moved(0, 5, partition=1), moved(2, 9)]
    assert joined_moves(moves) == [moved(None, 9), moved(0, 5, partition=1)]
    with pytest.raises(OffsetConflict):
        joined_moves([moved(0, 2), moved(3, 4)])
