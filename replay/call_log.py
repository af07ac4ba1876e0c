"""Records calls before they are made, so that after a kill the number of recorded calls is never too low."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from replay.run.budget import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStart:
    """A call of this case is about to start."""

    case_id: str
    at: datetime


class CallLog(Protocol):
    """Stores the requests and the spending of a run. After `record` returns, the record survives a kill."""

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()) -> None:
        """Store new calls. `ended` are the charges of the calls that ended since the last record, and `unused` are
        calls of earlier records that were not made. Called in a worker thread.
        """
        ...


class Upcoming(Protocol):
    """The calls that a run makes next, so that they can be recorded before they are due."""

    def announce(self) -> Sequence[str]:
        """Return the cases of further calls, at most as many as should be announced now."""
        ...

    @property
    def low(self) -> bool:
        """Whether more calls should be announced before the announced ones are used up."""
        ...


class NothingUpcoming:
    """The calls of a caller that does not know its next ones."""

    low = False

    def announce(self) -> Sequence[str]:
        return ()


@dataclass(slots=True, eq=False)
class _Batch:
    calls: list[CallStart] = field(default_factory=list)
    recorded: bool = False


class CallRecorder:
    """Records the calls of one run. Calls that wait at the same time share one write, and a write also records the
    calls that come next: a write for each request takes longer than the rest of the request.
    """

    def __init__(
        self, log: CallLog | None, run_id: str, now: Callable[[], datetime], upcoming: Upcoming | None = None
    ) -> None:
        """Create a recorder. Without a log it records nothing and does not wait."""
        self._log, self._run_id, self._now = log, run_id, now
        self._upcoming: Upcoming = upcoming or NothingUpcoming()
        self._batch = _Batch()
        self._ahead: defaultdict[str, deque[_Batch]] = defaultdict(deque)  # by case: calls that did not begin
        self._refilling: asyncio.Task[None] | None = None
        self._ended = Spent()
        self._writing = asyncio.Lock()

    async def begin(self, case_id: str) -> None:
        """Return after the call is recorded. Only then may the request be sent."""
        if self._log is None:
            return
        ahead = self._ahead.get(case_id)
        batch = ahead.popleft() if ahead else self._joined(case_id)
        if batch.recorded:
            self._refill()
            return
        try:
            async with self._writing:
                if batch.recorded:
                    return  # by a call that held the lock before
                if batch is self._batch:
                    self._batch = _Batch()
                await self._record_with_next(batch)
        except BaseException:
            self._ahead[case_id].append(batch)  # the batch has the call, which is not made
            raise

    def end(self, charge: Spent) -> None:
        """Record the charge with the next calls, or at the end of the run."""
        self._ended.add(charge)

    async def close(self) -> None:
        """Record the charges of the last calls, and the recorded calls that were not made."""
        if self._refilling is not None:
            await asyncio.wait({self._refilling})
        if self._log is None:
            return
        async with self._writing:
            unused = [*self._unused()]
            self._ahead.clear()
            if self._ended.requests or unused:
                await self._record((), unused)

    def _joined(self, case_id: str) -> _Batch:
        self._batch.calls.append(CallStart(case_id=case_id, at=self._now()))
        return self._batch

    def _refill(self) -> None:
        """Record the next calls in the background when few are left."""
        if self._upcoming.low and (self._refilling is None or self._refilling.done()):
            self._refilling = asyncio.create_task(self._record_next())

    async def _record_next(self) -> None:
        with suppress(Exception):  # the first call of the batch writes it again, and raises the error
            async with self._writing:
                await self._record_with_next(_Batch())

    async def _record_with_next(self, batch: _Batch) -> None:
        for case_id in self._upcoming.announce():
            batch.calls.append(CallStart(case_id=case_id, at=self._now()))
            self._ahead[case_id].append(batch)
        if batch.calls:
            await _whole(self._record_batch(batch))

    async def _record_batch(self, batch: _Batch) -> None:
        await self._record(batch.calls)
        batch.recorded = True

    def _unused(self) -> Iterator[CallStart]:
        at = self._now()
        for case_id, batches in self._ahead.items():
            yield from (CallStart(case_id=case_id, at=at) for batch in batches if batch.recorded)

    async def _record(self, started: Sequence[CallStart], unused: Sequence[CallStart] = ()) -> None:
        assert self._log is not None
        ended, self._ended = self._ended, Spent()
        try:
            await asyncio.to_thread(self._log.record, self._run_id, tuple(started), ended, tuple(unused))
        except Exception:
            self._ended.add(ended)  # of no stored record
            raise


async def _whole(write: Coroutine[Any, Any, None]) -> None:
    """Await a write to its end: a cancelled call does not stop the thread that writes, and must know the result."""
    writing = asyncio.ensure_future(write)
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait({writing})
        if not writing.cancelled():
            writing.exception()
        raise
