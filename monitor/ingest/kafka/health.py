"""The lag of each partition, and the time since it last moved."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from monitor.ingest.kafka.cluster import Partition

WINDOW = 1_000


class PoisonLimit:
    """Counts the unreadable records among the last `window` records of a partition.

    >>> limit = PoisonLimit(2, window=4)
    >>> [limit.is_exceeded_by(bad=bad) for bad in (True, True, False, False, True, True, True)]
    [False, False, False, False, False, False, True]
    """

    def __init__(self, limit: int, *, window: int = WINDOW) -> None:
        self.limit, self.window = limit, window
        self._bad: deque[int] = deque()  # the record numbers of unreadable records
        self._record_count = 0

    def is_exceeded_by(self, *, bad: bool) -> bool:
        """Count one more record, and return whether the unreadable ones exceed the limit."""
        self._record_count += 1
        if self._bad and self._bad[0] <= self._record_count - self.window:
            self._bad.popleft()
        if bad:
            self._bad.append(self._record_count)
        return len(self._bad) > self.limit


def halt_reason(name: str, partition: Partition, poison: PoisonLimit, last: str, resume_at: int) -> str:
    """Return why the partition is no longer read, and how to continue. `last` is the reason of the last dead letter."""
    key = f"ingest.kafka.{name}"
    return (
        f"Kafka source {name!r} stopped reading {partition}: more than {poison.limit} of its last {poison.window} "
        f"records cannot be read, the last one: {last}. `driftd db dead-letters` shows them. Correct "
        f"{key}.topics.{partition.topic}, or raise {key}.max_unreadable, and restart driftd; it resumes at offset "
        f"{resume_at}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """`records` are in the topic and not in the store. `still_s` is the time since the last one was stored."""

    partition: Partition
    records: int
    still_s: float


class LagWatch:
    """Remembers the positions of partitions. Callers pass times in monotonic seconds."""

    def __init__(self, stall_after_s: float) -> None:
        self._stall_after_s = stall_after_s
        self._positions: dict[Partition, tuple[int, float]] = {}  # the offset, and since when
        self.lags: tuple[Lag, ...] = ()

    def update(self, stored: Mapping[Partition, int], ends: Mapping[Partition, int], now_s: float) -> None:
        """Update the lags. `stored` has the offset after the last stored row of each partition, `ends` the end of its
        log.
        """
        positions: dict[Partition, tuple[int, float]] = {}
        lags: list[Lag] = []
        for partition, offset in stored.items():
            records = max(0, ends.get(partition, offset) - offset)
            before = self._positions.get(partition)
            # A partition with nothing to read has not stalled.
            since_s = before[1] if before is not None and before[0] == offset and records else now_s
            positions[partition] = (offset, since_s)
            lags.append(Lag(partition=partition, records=records, still_s=now_s - since_s))
        self._positions, self.lags = positions, tuple(lags)

    @property
    def stalled(self) -> tuple[Lag, ...]:
        return tuple(lag for lag in self.lags if lag.records and lag.still_s >= self._stall_after_s)
