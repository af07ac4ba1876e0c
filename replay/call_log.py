"""Records calls before they are made, so that after a kill the number of recorded calls is never too low."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from replay.run.budget import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStart:
    """A call of this case is about to start."""

    case_id: str
    at: datetime


class CallLog(Protocol):
    """Stores the requests and the spending of a run. After `record` returns, the record survives a kill."""

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent) -> None:
        """Store new calls. `ended` are the charges of the calls that ended since the last record. Called in a worker
        thread.
        """
        ...


@dataclass(slots=True)
class _Batch:
    calls: list[CallStart] = field(default_factory=list)
    recorded: bool = False


class CallRecorder:
    """Records the calls of one run. Calls that wait at the same time share one write."""

    def __init__(self, log: CallLog | None, run_id: str, now: Callable[[], datetime]) -> None:
        """Create a recorder. Without a log it records nothing and does not wait."""
        self._log, self._run_id, self._now = log, run_id, now
        self._batch = _Batch()
        self._ended = Spent()
        self._writing = asyncio.Lock()

    async def begin(self, case_id: str) -> None:
        """Return after the call is recorded. Only then may the request be sent."""
        if self._log is None:
            return
        batch = self._batch
        batch.calls.append(CallStart(case_id=case_id, at=self._now()))
        async with self._writing:
            if batch.recorded:
                return  # by a call that held the lock before
            if batch is self._batch:
                self._batch = _Batch()
            await self._record(batch.calls)
            batch.recorded = True

    def end(self, charge: Spent) -> None:
        """Record the charge with the next calls, or at the end of the run."""
        self._ended.add(charge)

    async def close(self) -> None:
        """Record the charges of the last calls."""
        if self._log is not None and self._ended.requests:
            async with self._writing:
                await self._record(())

    async def _record(self, started: Sequence[CallStart]) -> None:
        assert self._log is not None
        ended, self._ended = self._ended, Spent()
        await asyncio.to_thread(self._log.record, self._run_id, tuple(started), ended)
