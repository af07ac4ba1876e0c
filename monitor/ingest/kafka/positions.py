"""The position of a source: its partitions, the read offset of each, and the stored offset of each."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from kafka import TopicPartition

from monitor.ingest.kafka.cluster import Cluster, Partition
from monitor.ingest.kafka.offsets import Positions
from monitor.store.traffic.source_positions import OffsetMove


class ConsumerPosition:
    """After an error the position is computed again from the stored rows. `cluster` is None until then."""

    def __init__(self) -> None:
        self.cluster: Cluster | None = None
        self.stored_to: dict[Partition, int] = {}
        self._read_to: dict[Partition, int] = {}
        self._partitions: dict[TopicPartition, Partition] = {}

    def partition(self, tp: TopicPartition) -> Partition:
        return self._partitions[tp]

    def forget(self) -> None:
        self.cluster = None

    def update(self, cluster: Cluster, found: Positions) -> None:
        """Set the stored offsets; reading begins later."""
        self._partitions = {p.tp: p for p in cluster.partitions}
        self.stored_to = found.ends

    def begun(self, cluster: Cluster, found: Positions, at: datetime) -> list[OffsetMove]:
        """Return the moves for new partitions, and for lost records to the end of the loss."""
        stand = self.stored_to
        return [_move(cluster, p, stand.get(p), offset, at) for p, offset in beginnings(found).items()]

    def begin(self, cluster: Cluster, found: Positions) -> Mapping[Partition, int]:
        """Return the start offset of each partition to read. The other partitions stay at the end of their rows."""
        self._read_to = {**found.known, **beginnings(found)}
        self.stored_to |= self._read_to
        self.cluster = cluster
        return self._read_to

    def read(self, ends: Mapping[Partition, int], at: datetime) -> list[OffsetMove]:
        """Advance the read offsets to `ends`, and return the moves to store with the rows before them."""
        assert self.cluster is not None, "the position must be known before reading"
        moves = [_move(self.cluster, p, self._read_to[p], end, at) for p, end in ends.items()]
        self._read_to |= ends
        return moves

    def stored(self, moves: Iterable[OffsetMove]) -> None:
        """Apply stored moves. A move of a topic that was created again since belongs to the old topic."""
        for move in moves:
            partition = self._partitions.get(TopicPartition(move.topic, move.partition))
            if partition is not None and partition.topic_id == move.topic_id:
                self.stored_to[partition] = move.after


def beginnings(found: Positions) -> dict[Partition, int]:
    """Return the start offset of each partition that does not continue after its rows."""
    return {**found.fresh, **{one.partition: one.until for one in found.lost}}


def _move(cluster: Cluster, partition: Partition, before: int | None, after: int, at: datetime) -> OffsetMove:
    return OffsetMove(
        cluster_id=cluster.id,
        topic_id=partition.topic_id,
        topic=partition.topic,
        partition=partition.number,
        before=before,
        after=after,
        at=at,
    )
