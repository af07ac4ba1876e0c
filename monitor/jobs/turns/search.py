"""One search for turns without a verdict. Its result is judged in batches, so that a large backlog is searched once."""

from collections import deque
from datetime import datetime
from typing import Final

import pyarrow as pa

from monitor.store.engine.transaction import Tx
from monitor.store.turns import pending

MOST: Final = 50_000  # turns of one search; each takes about 100 bytes of memory


class TurnSearch:
    """The calls of a deployment in [since, until) that a version of the detector has not judged, the newest first.

    `extend` also finds calls that arrive later. Texts of calls are read with each batch, so a search holds none.
    """

    def __init__(self, deployment: str, version: str, *, since: datetime, now: datetime, most: int = MOST) -> None:
        """`most` is the largest number of turns that one statement lists."""
        self.version, self.since, self.began_at = version, since, now
        self._deployment, self._searched_until, self._most = deployment, since, most
        self._lists: deque[pa.Table] = deque()
        self._complete = True

    @property
    def ended(self) -> bool:
        """Return whether no listed turn is left."""
        return not self._lists

    @property
    def complete(self) -> bool:
        """Return whether every turn was listed: a search with `most` turns may have missed older ones."""
        return self._complete

    @property
    def searched_until(self) -> datetime:
        """Return the end of the window: calls received later are not searched yet."""
        return self._searched_until

    def extend(self, tx: Tx, until: datetime) -> None:
        """Search the calls that were received since the last search and before `until`. They come first."""
        window = {"since": self._searched_until, "until": until}
        found = pending.pending(tx, self._deployment, self.version, **window, limit=self._most)
        self._searched_until = until
        self._complete &= found.num_rows < self._most
        if found.num_rows:
            self._lists.appendleft(found)

    def next(self, size: int) -> pa.Table | None:
        """Remove the next turns from the list and return them, at most `size`; None when none is left."""
        if not self._lists:
            return None
        found = self._lists.popleft()
        if found.num_rows > size:
            self._lists.appendleft(found.slice(size))
        return found.slice(0, size)
