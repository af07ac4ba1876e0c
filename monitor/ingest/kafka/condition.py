"""Why a source, or one of its partitions, is not reading; and the status text of the source."""

from collections.abc import Iterable, Mapping

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.cluster import Cluster, Partition
from monitor.ingest.kafka.health import Lag, LagWatch
from monitor.ingest.kafka.outage import Outages
from monitor.telemetry import GaugeValue


class Condition:
    """The condition of one source. Callers pass times in monotonic seconds."""

    def __init__(self, source: str, section: KafkaConfig) -> None:
        self._source = source
        self.lags = LagWatch(section.stall_after_s)
        self.stopped: str | None = None  # why the whole source has stopped, as a sentence
        self.halts: dict[Partition, str] = {}  # why this partition has stopped
        self._taken: str | None = None
        self._outages = Outages(section.unavailable_after_s)

    def note_taken(self, reason: str | None, now_s: float) -> None:
        """Note that another reader of the group is active, or may be. The cluster answers in both cases."""
        self._taken = reason
        self._outages.update({}, now_s)

    def note_unavailable(self, reason: str, now_s: float) -> None:
        self._outages.update({"": reason}, now_s)

    def note_available(self, cluster: Cluster, now_s: float) -> None:
        self._taken = None
        there = cluster.partitions | cluster.offline
        # A topic that was created again is a different one.
        self.halts = {p: reason for p, reason in self.halts.items() if p in there}
        self._outages.update(
            {str(p): f"Kafka source {self._source!r}: {p} has no leader" for p in cluster.offline}, now_s
        )

    def resting(self, cluster: Cluster) -> frozenset[Partition]:
        return (cluster.partitions | cluster.offline) & self.halts.keys()

    def state(self, cluster: Cluster | None) -> str:
        """Return the status text, as the loops do. `cluster` is None until the read positions are known."""
        if self.stopped is not None:
            return f"stopped: {self.stopped}"
        if cluster is None:
            return "connecting"
        resting, count = self.resting(cluster), len(cluster.partitions | cluster.offline)
        reasons = "; ".join(sorted(self.halts[p] for p in resting))
        if resting and len(resting) == count:
            return f"stopped: {reasons}"
        absent = [f"topic {topic} does not exist" for topic in cluster.missing]
        absent += [f"{partition} has no leader" for partition in sorted(map(str, cluster.offline))]
        if reasons:
            return f"reading all but {len(resting)} of {count} partitions: {reasons}"
        return f"waiting: {'; '.join(absent)}" if absent else "reading"

    def trouble(self, now_s: float) -> str | None:
        """Return the problem that a person must know: why reading stopped, another reader, an outage, or a stall."""
        if (alone := self.stopped or self._taken) is not None:
            return alone
        stalled = _stalled(self._source, [lag for lag in self.lags.stalled if lag.partition not in self.halts])
        return "; ".join([*self._outages.lasting(now_s), *self.halts.values(), *stalled]) or None

    def lag_values(self) -> list[GaugeValue]:
        return [
            GaugeValue(
                value=lag.records,
                labels={"source": self._source, "topic": lag.partition.topic, "partition": str(lag.partition.number)},
            )
            for lag in self.lags.lags
        ]

    def stalled_value(self) -> GaugeValue:
        stalled = self.lags.stalled if self.stopped is None else self.lags.lags
        count = len({lag.partition for lag in stalled} | self.halts.keys())
        return GaugeValue(value=count, labels={"source": self._source})

    def check_lag(self, stored: Mapping[Partition, int], ends: Mapping[Partition, int], now_s: float) -> list[Lag]:
        """Return the partitions that have stalled since the last call."""
        before = {lag.partition for lag in self.lags.stalled}
        self.lags.update(stored, ends, now_s)
        return [lag for lag in self.lags.stalled if lag.partition not in before]


def _stalled(source: str, lags: Iterable[Lag]) -> list[str]:
    waiting = "; ".join(
        f"{lag.partition}: {lag.records} records wait, none was stored for {lag.still_s:.0f} s" for lag in lags
    )
    return [f"Kafka source {source!r} has stalled: {waiting}"] if waiting else []
