"""Workers that pull calls from one iterator, and the committer beside them."""

import asyncio
from collections.abc import Iterator, Sequence

from replay.attempts import Asking
from replay.committer import Committer
from replay.outage import OutageWatch
from replay.scorers.base import Scorer
from replay.scoring import score_reply
from replay.types import Case, ScoredOutcome

Calls = Iterator[tuple[Case, int]]


class Crew:
    def __init__(self, asking: Asking, scorers: Sequence[Scorer], *, watch: OutageWatch, committer: Committer) -> None:
        self._asking = asking
        self._scorers = scorers
        self._watch = watch
        self._committer = committer

    async def work(self, calls: Calls, workers: int) -> None:
        """Return when all is committed; raise the first thing that went wrong, after committing what is answered."""
        committing = asyncio.create_task(self._committer.run())
        asking = asyncio.create_task(self._ask_all(calls, workers))
        try:
            await asyncio.wait({asking, committing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asking.cancel()
            await asyncio.wait({asking})
            self._committer.close()
            await asyncio.wait({committing})
        committing.result()  # a sink that failed comes first: what it lost matters more
        asking.result()

    async def _ask_all(self, calls: Calls, workers: int) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._worker(calls))
        except ExceptionGroup as problems:
            raise problems.exceptions[0] from None
        if not self._asking.pause.stopped:
            await self._commit_all(self._watch.close())

    async def _worker(self, calls: Calls) -> None:
        while not self._asking.pause.stopped:
            await self._committer.reserve()
            call = next(calls, None)
            row = await self._ask(*call) if call else None
            if row is None:
                self._committer.give_back()
                return
            await self._hand_over(row)

    async def _ask(self, case: Case, sample: int) -> ScoredOutcome | None:
        outcome = await self._asking.ask(case, sample)
        if outcome is None:
            return None
        scores = score_reply(case, outcome.reply, self._scorers) if outcome.reply else ()
        return ScoredOutcome(outcome=outcome, scores=scores)

    async def _hand_over(self, row: ScoredOutcome) -> None:
        ready = self._watch.pass_on(row)
        if ready and ready[-1] is row:
            self._committer.add(ready.pop())  # in the place of its call and without waiting: an answer is safe first
        else:
            self._committer.give_back()
        await self._commit_all(ready)

    async def _commit_all(self, rows: Sequence[ScoredOutcome]) -> None:
        for row in rows:
            await self._committer.reserve()
            self._committer.add(row)
