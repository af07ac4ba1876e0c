"""What was appended lately, so that few batches must be looked for among the rows of the file."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

MAX_IDS: Final = 131_072  # some 25 MB; ten seconds and more of the highest rate
BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
END: Final = datetime.max.replace(tzinfo=UTC)


class RecentIds:
    """Knows every id of the rows whose time lies after one moment and before another.

    It may take a new id for a known one, after a transaction that was rolled back or a row that was removed: then the
    file is asked. A known id is never new to it. Used under the write lock alone.
    """

    def __init__(self, *, complete_after: datetime = BEGINNING, complete_before: datetime = END) -> None:
        """Of a file with rows: the newest time before now, and the oldest from now on, for clocks may be wrong."""
        self._times: dict[str, datetime] = {}
        self._after = complete_after
        self._before = complete_before

    def are_new(self, ids: Iterable[str], *, since: datetime, until: datetime) -> bool:
        """Whether no row with a time from `since` to `until` can have one of the ids."""
        return self._after < since and until < self._before and self._times.keys().isdisjoint(ids)

    def add(self, ids: Sequence[str], times: Sequence[datetime]) -> None:
        """Rows that are about to be in the file, each id once; of too many the older half is forgotten."""
        added = dict(zip(ids, times, strict=True))
        for again in self._times.keys() & added.keys():  # an id may have rows of several times: the last counts
            added[again] = max(added[again], self._times[again])
        self._times.update(added)
        if len(self._times) > MAX_IDS:
            forgotten_until = sorted(self._times.values())[len(self._times) // 2]
            self._times = {one: at for one, at in self._times.items() if at > forgotten_until}
            self._after = max(self._after, forgotten_until)
