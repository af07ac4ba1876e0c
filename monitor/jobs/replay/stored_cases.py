"""Reads the cases of a revision while a replay uses them, so that memory does not grow with the set."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from monitor.domain.evalset import StoredCase
from monitor.store.engine.database import Store
from monitor.store.sets import sealed_sets
from replay.evalsets.sealing import Sealer
from replay.types import Case

AT_ONCE = 500  # cases read by one statement


class StoredCases(Collection[Case]):
    """Yields cases in the order of `positions`. A thread reads the next cases ahead, so no call waits for the file.

    A case is decrypted when it is yielded, and not kept.
    """

    def __init__(
        self, store: Store, set_name: str, revision: str, sealer: Sealer | None, positions: Iterable[int]
    ) -> None:
        self._store, self._set_name, self._revision, self._sealer = store, set_name, revision, sealer
        self._positions = array("q", positions)

    @property
    def positions(self) -> Sequence[int]:
        """Return the places of the cases in their set."""
        return self._positions

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Case]:
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="driftd-cases") as reading:
            coming = reading.submit(self._read, 0)
            for begin in range(AT_ONCE, len(self) + AT_ONCE, AT_ONCE):
                here, coming = coming.result(), reading.submit(self._read, begin)
                yield from (sealed_sets.opened(case, self._sealer) for case in here)

    def __contains__(self, case: object) -> bool:
        return any(case == mine for mine in self)

    def _read(self, begin: int) -> list[StoredCase]:
        wanted = self._positions[begin : begin + AT_ONCE].tolist()
        if not wanted:
            return []
        with self._store.read() as tx:
            return sealed_sets.at_positions(tx, self._set_name, self._revision, wanted)
