"""How far behind a partition is, and since when it has not moved."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.ingest.kafka.cluster import Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """`records` are at the broker and not in the tables; `still_s` has passed since the last of them was stored."""

    partition: Partition
    records: int
    still_s: float


class LagWatch:
    """Remembers where partitions stood. Times are monotonic seconds and are passed in."""

    def __init__(self, stall_after_s: float) -> None:
        self._stall_after_s = stall_after_s
        self._stood: dict[Partition, tuple[int, float]] = {}  # offset, since when
        self.lags: tuple[Lag, ...] = ()

    def look(self, stored: Mapping[Partition, int], ends: Mapping[Partition, int], now_s: float) -> None:
        """`stored` is where the rows of each partition end, `ends` where its records do."""
        stood: dict[Partition, tuple[int, float]] = {}
        lags: list[Lag] = []
        for partition, offset in stored.items():
            records = max(0, ends.get(partition, offset) - offset)
            before = self._stood.get(partition)
            # with nothing to read a partition stands still rightly
            since_s = before[1] if before is not None and before[0] == offset and records else now_s
            stood[partition] = (offset, since_s)
            lags.append(Lag(partition=partition, records=records, still_s=now_s - since_s))
        self._stood, self.lags = stood, tuple(lags)

    @property
    def stalled(self) -> tuple[Lag, ...]:
        return tuple(lag for lag in self.lags if lag.records and lag.still_s >= self._stall_after_s)
