"""Calls written down before they are made, so that a killed process has never made more than it has recorded."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from replay.run.budget import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStart:
    """A request with this case is about to be sent."""

    case_id: str
    at: datetime


class CallLog(Protocol):
    """Keeps what a run asks and spends. When `record` returns, it survives a kill."""

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent) -> None:
        """Called in a worker thread. `ended` is what the requests are charged with that ended since the last call."""
        ...


@dataclass(slots=True)
class _Batch:
    calls: list[CallStart] = field(default_factory=list)
    recorded: bool = False


class CallRecorder:
    """Records the calls of one run. Calls that wait at the same time share one write."""

    def __init__(self, log: CallLog | None, run_id: str, now: Callable[[], datetime]) -> None:
        """Without a log nothing is recorded and nothing waits."""
        self._log, self._run_id, self._now = log, run_id, now
        self._batch = _Batch()
        self._ended = Spent()
        self._writing = asyncio.Lock()

    async def begin(self, case_id: str) -> None:
        """Return when the call is recorded: only then may its request be sent."""
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
