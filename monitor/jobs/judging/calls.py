"""Records and measures the calls of judges."""

import asyncio
from collections.abc import Sequence

from monitor.clock import Clock
from monitor.domain.evalset import Replayed
from monitor.store.engine.database import Store
from monitor.store.judging import spending
from monitor.store.sets import access_log as access
from monitor.telemetry import Recorder
from replay.call_log import CallStart
from replay.errors import CallError
from replay.run.budget import Spent
from replay.targets.base import CallContext, Holding, Target
from replay.targets.failure import ErrorClass
from replay.types import Case, Reply, TargetConditions

_CLASSES = frozenset(ErrorClass)


class JudgeCallLog:
    """Implements replay's CallLog for one judge. With `replayed` it records the access to sealed cases too."""

    def __init__(self, store: Store, clock: Clock, judge: str, replayed: Replayed | None) -> None:
        self._store, self._clock, self._judge, self._replayed = store, clock, judge, replayed

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()) -> None:
        now, number = self._clock.now(), len(started) - len(unused)
        with self._store.write() as tx:
            if self._replayed is not None:
                access.record(tx, self._replayed, started, unused)
            spending.record(tx, run_id, self._judge, now, started=number, ended=ended)


class MeteredJudge:
    """A target that counts its calls as those of a judge."""

    def __init__(self, target: Target, telemetry: Recorder, judge: str) -> None:
        self._target, self._telemetry, self._labels = target, telemetry, {"judge": judge}

    @property
    def conditions(self) -> TargetConditions:
        return self._target.conditions

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        try:
            reply = await self._target.call(case, sample, context)
        except CallError as error:
            self._count(error.error_class if error.error_class in _CLASSES else "other")
            raise
        except asyncio.CancelledError:
            self._count("abandoned")
            raise
        self._count("answered")
        self._telemetry.record("driftd.judge.call.duration", reply.latency_ms / 1000, self._labels)
        for direction, tokens in (("input", reply.input_tokens), ("output", reply.output_tokens)):
            if tokens is not None:
                self._telemetry.count("driftd.judge.tokens", tokens, {**self._labels, "direction": direction})
        if reply.cost_usd is not None:
            self._telemetry.count("driftd.judge.cost", reply.cost_usd, self._labels)
        return reply

    def take_hold(self) -> float:
        return self._target.take_hold() if isinstance(self._target, Holding) else 0.0

    async def aclose(self) -> None:
        await self._target.aclose()

    def _count(self, result: str) -> None:
        self._telemetry.count("driftd.judge.calls", 1, {**self._labels, "result": result})
