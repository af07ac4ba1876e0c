"""Count the optional values that could not be read, by name, over the last day of this process."""

import threading
from collections import Counter, deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from monitor.clock import Clock
from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.unread import UNREAD

HOURS: Final = 24  # in the counts, including the current one


class UnreadSummary(NamedTuple):
    """Counts by name since a time: the start of the process, or of the hour 23 hours ago."""

    since: datetime
    by_name: dict[str, int]


class UnreadCounts:
    """Counts in memory by hour. The store would have to read the attributes of all calls of a day."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()
        self._lock = threading.Lock()  # protects _hours: the writer adds while requests read
        self._hours: deque[tuple[datetime, Counter[str]]] = deque(maxlen=HOURS)

    def add(self, names: Counter[str]) -> None:
        """Add the counts of one commit."""
        if not names:
            return
        with self._lock:
            hour = self._this_hour()
            if not self._hours or hour > self._hours[-1][0]:
                self._hours.append((hour, Counter()))
            self._hours[-1][1].update(names)

    def of_last_day(self) -> UnreadSummary:
        """Return the counts, the most frequent name first."""
        with self._lock:
            first = self._this_hour() - timedelta(hours=HOURS - 1)
            found = sum((counts for hour, counts in self._hours if hour >= first), Counter[str]())
        return UnreadSummary(max(self._began, first), dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))))

    def _this_hour(self) -> datetime:
        return self._clock.now().replace(minute=0, second=0, microsecond=0)


def unread_in(items: Iterable[Interaction]) -> Counter[str]:
    """Return the unread values of these calls by name. Only driftd writes these names, and they are constants."""
    return Counter(name for item in items if UNREAD in item.attributes for name in item.attributes[UNREAD])
