"""The read positions of Kafka partitions, stored in the transaction of the rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from monitor.errors import OffsetConflict
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import OFFSET_MOVES, table_of
from monitor.store.engine.transaction import Tx

PartitionKey = tuple[str, str, int]  # cluster id, topic id, partition


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetMove:
    """A batch read a partition from `before` to `after`, exclusive; `before` is None for a partition without a
    position.
    """

    cluster_id: str
    topic_id: str
    topic: str
    partition: int
    before: int | None
    after: int
    at: datetime

    @property
    def place(self) -> PartitionKey:
        return (self.cluster_id, self.topic_id, self.partition)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOffset:
    """A stored position. `next_offset` is the first offset whose record is not stored."""

    cluster_id: str
    topic_id: str
    topic: str
    partition: int
    next_offset: int
    stored_at: datetime


def of_cluster(tx: Tx, cluster_id: str) -> list[StoredOffset]:
    return [StoredOffset(**row) for row in tx.query("kafka_offsets_of_cluster", cluster_id=cluster_id)]


def move(tx: Tx, moves: Sequence[OffsetMove]) -> None:
    """Store all moves, or raise OffsetConflict and store none: each must start where the previous one ended. A lake
    stores them, and raises the error, at the end of the write.

    A batch that failed leaves a gap. Records after the gap are refused, because no one reads the gap after a later
    offset is stored.
    """
    joined = joined_moves(moves)
    if tx.positions is not None:
        tx.positions.move_offsets(joined)
    else:
        store(tx, joined)


def store(tx: Tx, joined: Sequence[OffsetMove]) -> None:
    """Store moves of different partitions with statements of the transaction. Raises OffsetConflict."""
    if not joined:
        return
    batch = table_of(OFFSET_MOVES, [row_of(one) for one in joined])
    done = tx.execute("move_kafka_offsets", batch=batch) + tx.execute("insert_new_kafka_offsets", batch=batch)
    if done != len(joined):
        raise offset_conflict(joined)


def joined_moves(moves: Iterable[OffsetMove]) -> list[OffsetMove]:
    """Merge the moves of several batches, in their order, into one for each partition."""
    joined: dict[PartitionKey, OffsetMove] = {}
    for one in moves:
        first = joined.get(one.place)
        if first is not None and first.after != one.before:
            raise offset_conflict([one])
        joined[one.place] = one if first is None else replace(one, before=first.before)
    return list(joined.values())


def offset_conflict(moves: Sequence[OffsetMove]) -> OffsetConflict:
    """Return the error for moves that do not start at the stored positions."""
    first = moves[0]
    more = f" (or one of {len(moves) - 1} others)" if len(moves) > 1 else ""
    return OffsetConflict(
        f"topic {first.topic} partition {first.partition}{more} was read from offset {first.before}, which is not "
        "the end of the stored rows; it is read again from there"
    )
