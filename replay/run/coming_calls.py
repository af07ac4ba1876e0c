"""The calls of a run in their order, of which the next ones are known before they begin."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from replay.run.budget import BudgetTracker
from replay.types import Case

REFILL: Final = 4  # more calls are announced when a fourth of the announced ones is left


class ComingCalls(Iterator[tuple[Case, int]]):
    """Implements `Upcoming` (`replay/call_log.py`). It announces at most `most` calls, and none that the budget of the
    run cannot pay.

    >>> coming = ComingCalls(iter([(Case(id="a", input=()), 0), (Case(id="b", input=()), 0)]), 8)
    >>> coming.announce(), coming.announced
    (['a', 'b'], 2)
    >>> next(coming)[0].id, coming.announced
    ('a', 1)
    """

    def __init__(self, calls: Iterator[tuple[Case, int]], most: int, tracker: BudgetTracker | None = None) -> None:
        self._calls, self._most, self._tracker = calls, most, tracker
        self._announced: deque[tuple[Case, int]] = deque()
        self._has_more = True

    def __next__(self) -> tuple[Case, int]:
        return self._announced.popleft() if self._announced else next(self._calls)

    @property
    def announced(self) -> int:
        return len(self._announced)

    @property
    def low(self) -> bool:
        return self._has_more and len(self._announced) * REFILL <= self._most

    def announce(self) -> Sequence[str]:
        left = None if self._tracker is None else self._tracker.requests_left
        wanted = (self._most if left is None else min(self._most, left)) - len(self._announced)
        if wanted <= 0:
            return ()
        more = [*islice(self._calls, wanted)]
        self._has_more = len(more) == wanted
        self._announced += more
        return [case.id for case, _ in more]
