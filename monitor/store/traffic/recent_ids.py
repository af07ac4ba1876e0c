"""Recently appended ids, so that most batches need no search in the table."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

MAX_IDS: Final = 131_072  # about 25 MB; at least ten seconds at the highest rate
BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
END: Final = datetime.max.replace(tzinfo=UTC)


class RecentIds:
    """Knows every id of the rows whose time is after one limit and before another.

    After a rollback or a removal it may take a new id for a known one: then the table is searched. It never takes a
    known id for a new one. It is used under the write lock only.
    """

    def __init__(self, *, complete_after: datetime = BEGINNING, complete_before: datetime = END) -> None:
        """The limits of a file with rows: the newest time before now, and the oldest time after now, because clocks may
        be wrong.
        """
        self._times: dict[str, datetime] = {}
        self._after = complete_after
        self._before = complete_before

    def are_new(self, ids: Iterable[str], *, since: datetime, until: datetime) -> bool:
        """Return whether no row with a time from `since` to `until` can have one of the ids."""
        return self._after < since and until < self._before and self._times.keys().isdisjoint(ids)

    def add(self, ids: Sequence[str], times: Sequence[datetime]) -> None:
        """Add rows that are about to be stored, each id once. Above the maximum the older half is dropped."""
        added = dict(zip(ids, times, strict=True))
        for again in self._times.keys() & added.keys():  # an id may have rows with several times: the latest counts
            added[again] = max(added[again], self._times[again])
        self._times.update(added)
        if len(self._times) > MAX_IDS:
            dropped_until = sorted(self._times.values())[len(self._times) // 2]
            self._times = {one: at for one, at in self._times.items() if at > dropped_until}
            self._after = max(self._after, dropped_until)
