"""Where a source stands: its partitions, up to where each is read, and up to where its rows are stored."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from kafka import TopicPartition

from monitor.ingest.kafka.cluster import Cluster, Partition
from monitor.ingest.kafka.offsets import Positions
from monitor.store.traffic.source_positions import OffsetMove


class ConsumerPosition:
    """Nothing of it outlives an error: it is found again from what is stored. `cluster` is None until it is found."""

    def __init__(self) -> None:
        self.cluster: Cluster | None = None
        self.stored_to: dict[Partition, int] = {}
        self._read_to: dict[Partition, int] = {}
        self._partitions: dict[TopicPartition, Partition] = {}

    def partition(self, tp: TopicPartition) -> Partition:
        return self._partitions[tp]

    def forget(self) -> None:
        self.cluster = None

    def look_at(self, cluster: Cluster, found: Positions) -> None:
        """Take what is stored for true; reading begins later."""
        self._partitions = {p.tp: p for p in cluster.partitions}
        self.stored_to = found.ends

    def begun(self, cluster: Cluster, found: Positions, at: datetime) -> list[OffsetMove]:
        """The moves of what was never read, and of what is lost to behind the loss."""
        stand = self.stored_to
        return [_move(cluster, p, stand.get(p), offset, at) for p, offset in beginnings(found).items()]

    def begin(self, cluster: Cluster, found: Positions) -> Mapping[Partition, int]:
        """From here on it is known: where to read each partition from. The others rest where their rows end."""
        self._read_to = {**found.known, **beginnings(found)}
        self.stored_to |= self._read_to
        self.cluster = cluster
        return self._read_to

    def read(self, ends: Mapping[Partition, int], at: datetime) -> list[OffsetMove]:
        """Reading goes on at `ends`: the moves that are stored with what lies before."""
        assert self.cluster is not None, "nothing is read before its place is found"
        moves = [_move(self.cluster, p, self._read_to[p], end, at) for p, end in ends.items()]
        self._read_to |= ends
        return moves

    def stored(self, moves: Iterable[OffsetMove]) -> None:
        """A move of a topic that was made anew since is of another topic."""
        for move in moves:
            partition = self._partitions.get(TopicPartition(move.topic, move.partition))
            if partition is not None and partition.topic_id == move.topic_id:
                self.stored_to[partition] = move.after


def beginnings(found: Positions) -> dict[Partition, int]:
    """The partitions that do not go on where their rows end, and where they begin."""
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
