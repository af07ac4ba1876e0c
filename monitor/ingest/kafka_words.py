"""What a source says of itself to people and to telemetry."""

from collections.abc import Iterable

from monitor.ingest.kafka_cluster import Cluster
from monitor.ingest.kafka_lag import Lag
from monitor.telemetry import Level


def state_of(cluster: Cluster | None, stopped: str | None) -> str:
    """In words, as the loops have it. `cluster` is None while nobody knows where to read from."""
    if stopped is not None:
        return f"stopped: {stopped}"
    if cluster is None:
        return "connecting"
    absent = [f"topic {topic} does not exist" for topic in cluster.missing]
    absent += [f"{partition} has no leader" for partition in sorted(map(str, cluster.offline))]
    return f"waiting: {'; '.join(absent)}" if absent else "reading"


def trouble_of(name: str, stalled: Iterable[Lag], stopped: str | None) -> str | None:
    """What a person must know of: why it stopped, or what has stalled."""
    if stopped is not None:
        return stopped
    told = "; ".join(
        f"{lag.partition}: {lag.records} records wait, none was stored for {lag.still_s:.0f} s" for lag in stalled
    )
    return f"Kafka source {name!r} has stalled: {told}" if told else None


def lag_levels(name: str, lags: Iterable[Lag]) -> list[Level]:
    return [
        Level(
            value=lag.records,
            labels={"source": name, "topic": lag.partition.topic, "partition": str(lag.partition.number)},
        )
        for lag in lags
    ]
