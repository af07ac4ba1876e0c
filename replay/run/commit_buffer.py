"""The buffer of answered calls before their commit: small batches with a short delay."""

import asyncio
from collections.abc import Callable, Sequence

from replay.run.limits import Limits
from replay.sinks import OutcomeSink
from replay.types import ScoredOutcome


class Committer:
    """Allows at most `limits.uncommitted` calls to be in flight or answered without a commit.

    This bounds the calls that are repeated after a kill. A commit starts when only as many slots are left as keep the
    target busy meanwhile, when `commit_rows` wait, or `commit_delay_s` after the oldest reply. The sink works in a
    thread, one commit at a time.
    """

    def __init__(
        self,
        sink: OutcomeSink,
        run_id: str,
        concurrency: int,
        limits: Limits,
        on_commit: Callable[[Sequence[ScoredOutcome]], None],
    ) -> None:
        self._sink = sink
        self._run_id = run_id
        places = 2 * concurrency if limits.uncommitted is None else max(limits.uncommitted, concurrency + 1)
        self._places = asyncio.Semaphore(places)
        self._batch = min(places - concurrency, limits.commit_rows)
        self._delay_s = limits.commit_delay_s
        self._on_commit = on_commit
        self._rows: list[ScoredOutcome] = []
        self._oldest_at = 0.0
        self._some = asyncio.Event()
        self._enough = asyncio.Event()
        self._closed = False

    async def reserve(self) -> None:
        """Wait for a slot. It is free again after the commit, or after `give_back`."""
        await self._places.acquire()

    def give_back(self) -> None:
        """Free a slot whose call has nothing to commit."""
        self._places.release()

    def add(self, row: ScoredOutcome) -> None:
        """Add a row whose slot is reserved."""
        if not self._rows:
            self._oldest_at = asyncio.get_running_loop().time()
        self._rows.append(row)
        self._some.set()
        if len(self._rows) >= self._batch:
            self._enough.set()

    def close(self) -> None:
        """Commit the waiting rows and end `run`. No more rows may be added."""
        self._closed = True
        self._some.set()
        self._enough.set()

    async def run(self) -> None:
        """Commit until closed. An exception of the sink is raised with a note about the number of waiting answers."""
        while not (self._closed and not self._rows):
            await self._some.wait()
            await self._wait_for_more()
            await self._commit()

    async def _wait_for_more(self) -> None:
        try:
            async with asyncio.timeout_at(self._oldest_at + self._delay_s):
                await self._enough.wait()
        except TimeoutError:
            pass

    async def _commit(self) -> None:
        rows, self._rows = self._rows, []
        if not self._closed:
            self._some.clear()
            self._enough.clear()
        if not rows:
            return
        try:
            await asyncio.to_thread(self._sink.commit, self._run_id, rows)
        except Exception as error:
            waiting = len(rows) + len(self._rows)
            error.add_note(
                f"run {self._run_id}: {waiting} answered calls are not committed; a resumed run repeats them"
            )
            raise
        for _ in rows:
            self._places.release()
        self._on_commit(rows)
