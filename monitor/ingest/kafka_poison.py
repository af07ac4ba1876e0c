"""When so many records cannot be read that the topic, and not a record, must be wrong."""

from collections import deque

WINDOW = 1_000


class PoisonLimit:
    """Counts the unreadable among the last `window` records of a topic.

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


def told(name: str, topic: str, poison: PoisonLimit, last: str) -> str:
    """Why the source stops, and how to go on. `last` is the reason of the last dead letter."""
    return (
        f"Kafka source {name!r} stopped: more than {poison.limit} of the last {poison.window} records of topic {topic} "
        f"cannot be read, the last one: {last}. It was not passed over: correct ingest.kafka.{name}.topics.{topic}, or "
        f"raise ingest.kafka.{name}.poison_limit, and restart driftd"
    )
