"""When so many records of a partition cannot be read that their format, and not a record, must be wrong."""

from collections import deque

from monitor.ingest.kafka.cluster import Partition

WINDOW = 1_000


class PoisonLimit:
    """Counts the unreadable among the last `window` records of a partition.

    >>> limit = PoisonLimit(2, window=4)
    >>> [limit.is_exceeded_by(bad=bad) for bad in (True, True, False, False, True, True, True)]
    [False, False, False, False, False, False, True]
    """

    def __init__(self, limit: int, *, window: int = WINDOW) -> None:
        self.limit, self.window = limit, window
        self._bad: deque[int] = deque()  # their numbers
        self._seen = 0

    def is_exceeded_by(self, *, bad: bool) -> bool:
        """Whether there are more than the limit, with one record more."""
        self._seen += 1
        if self._bad and self._bad[0] <= self._seen - self.window:
            self._bad.popleft()
        if bad:
            self._bad.append(self._seen)
        return len(self._bad) > self.limit


def told(name: str, partition: Partition, poison: PoisonLimit, last: str, resume_at: int) -> str:
    """Why the partition is read no further, and how to go on. `last` is the reason of the last dead letter."""
    key = f"ingest.kafka.{name}"
    return (
        f"Kafka source {name!r} stopped reading {partition}: more than {poison.limit} of its last {poison.window} "
        f"records cannot be read, the last one: {last}. `driftd db dead-letters` shows them. Correct "
        f"{key}.topics.{partition.topic}, or raise {key}.poison_limit, and restart driftd; it reads again from offset "
        f"{resume_at}"
    )
