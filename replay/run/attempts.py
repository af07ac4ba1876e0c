"""One sample of one case: attempts until there is an answer or a final failure."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random

from replay.call_log import CallRecorder
from replay.errors import BudgetSpentError, CallError
from replay.evalsets.turns import turns_of
from replay.retry import pause_s, retry_delay_s
from replay.run.budget import BudgetTracker
from replay.run.limits import Limits
from replay.run.pause import Pause
from replay.run.rate_limit import Pacer
from replay.self_report import SelfReport
from replay.storable import storable_message, storable_reply
from replay.targets.base import CallContext, Holding, Target, turns_obstacle
from replay.targets.failure import ErrorClass, failed, may_be_billed
from replay.traces import call_context
from replay.types import Case, Outcome, Reply

# Exceptions of decoding an unexpected reply. Any other exception is a defect and is not caught.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


class Requests:
    """The requests of one attempt. Each is counted and recorded before it is sent; all are charged together."""

    def __init__(self, tracker: BudgetTracker, calls: CallRecorder, case_id: str) -> None:
        self._tracker, self._calls, self._case_id = tracker, calls, case_id
        self._taken = 0

    async def take(self) -> bool:
        """Return whether one more request may be sent. If so, it is recorded."""
        if not self._tracker.take():
            return False
        self._taken += 1
        try:
            await self._calls.begin(self._case_id)
        except BaseException:  # it is not sent
            self._taken -= 1
            self._tracker.give_back()
            raise
        return True

    async def reserve(self) -> None:
        """Take one more request, or raise BudgetSpentError."""
        if not await self.take():
            raise BudgetSpentError("the budget allows no further request of this attempt")

    def settle(self, reply: Reply | None, *, billed: bool, answered: Reply | None = None) -> None:
        """End all requests of the attempt. `answered` are the turns before the one that failed."""
        charge = self._tracker.settle(reply, requests=self._taken, billed=billed, answered=answered)
        self._calls.end(charge)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """The settings that all calls of a run share."""

    run_id: str
    trace_prefix: str
    target: Target
    limits: Limits
    pause: Pause
    pace: Pacer
    tracker: BudgetTracker
    calls: CallRecorder
    rng: Random
    now: Callable[[], datetime]
    self_report: SelfReport | None = None

    @property
    def over(self) -> bool:
        """Whether no more calls may begin: the run was stopped, or its budget is spent."""
        return self.pause.stopped or self.tracker.empty is not None

    async def execute(self, case: Case, sample: int, *, after: int = 0) -> Outcome | None:
        """The reply or the last failure; None when the run was over before there was either. `after` attempts were made
        in an earlier round.
        """
        started_at: datetime | None = None
        for attempt in range(after + 1, after + self.limits.max_attempts + 1):
            requests = Requests(self.tracker, self.calls, case.id)
            if not await self._may_call(requests):
                return None
            started_at = started_at or self.now()
            context = call_context(self.run_id, self.trace_prefix, case.id, sample, attempt, requests.reserve)
            result = await self._call(case, sample, context, requests)
            if isinstance(result, BudgetSpentError):
                return None
            last = attempt == after + self.limits.max_attempts
            if isinstance(result, CallError) and result.retryable and not last:
                await self._wait(attempt - after, result)
                continue
            reply, failure = (result, None) if isinstance(result, Reply) else (None, result)
            return Outcome(
                case_id=case.id,
                sample=sample,
                started_at=started_at,
                attempts=attempt,
                trace_id=context.trace_id,
                reply=reply,
                error_class=None if failure is None else failure.error_class,
                error_message=None if failure is None else storable_message(str(failure)),
            )
        raise AssertionError("max_attempts is at least 1")

    async def _may_call(self, requests: Requests) -> bool:
        """Wait for the pauses and the pace of the run, then count and record the request."""
        await self.pause.over()
        if (wait_s := await self.pace.turn()) > 0.0 and not self.pause.stopped:
            await self.pause.sleep(wait_s)
        return not self.pause.stopped and await requests.take()

    async def _call(
        self, case: Case, sample: int, context: CallContext, requests: Requests
    ) -> Reply | CallError | BudgetSpentError:
        try:
            result = await self._result(case, sample, context)
        except BaseException:
            requests.settle(None, billed=True)
            raise
        reply = result if isinstance(result, Reply) else None
        answered = result.answered if isinstance(result, CallError) else None
        billed = not isinstance(result, CallError) or may_be_billed(result)
        requests.settle(reply, billed=billed, answered=answered)
        if reply is not None:
            self.pace.used((reply.input_tokens or 0) + (reply.output_tokens or 0))
        elif isinstance(result, CallError) and result.error_class == ErrorClass.RATE_LIMIT:
            self.pace.refused()
        if isinstance(self.target, Holding) and (hold_s := self.target.take_hold()) > 0.0:
            self.pace.hold(min(hold_s, self.limits.max_pause_s))
        return result

    async def _result(self, case: Case, sample: int, context: CallContext) -> Reply | CallError | BudgetSpentError:
        if case.turn_by_turn and (obstacle := turns_obstacle(self.target)) is not None:
            return failed(ErrorClass.BAD_REQUEST, obstacle, sent=False)
        limit_s = self.limits.call_timeout_s * len(turns_of(case))
        try:
            async with asyncio.timeout(limit_s):
                reply = storable_reply(await self.target.call(case, sample, context))
                return reply if self.self_report is None else self.self_report.of(case, reply)
        except TimeoutError:
            return failed(ErrorClass.TIMEOUT, f"no answer within {limit_s:g} s")
        except (CallError, BudgetSpentError) as error:
            return error
        except UNREADABLE as error:
            return failed(ErrorClass.MALFORMED_REPLY, f"the reply cannot be read ({type(error).__name__})")

    async def _wait(self, attempt: int, failure: CallError) -> None:
        """Wait before the next attempt. A Retry-After pauses all calls, because it concerns the server and not this
        case.
        """
        self.pause.extend(pause_s(failure.retry_after_s, self.limits))
        await self.pause.sleep(retry_delay_s(attempt, failure.retry_after_s, self.limits, self.rng))
