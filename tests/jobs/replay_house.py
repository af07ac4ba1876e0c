"""Replays of small sets against models in memory, with their loops."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.run import Run, Trigger
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.plan import plan_run
from monitor.jobs.replay.run_loop import ReplayLoop
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.spending import Spending
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from replay.errors import CallError
from replay.evalsets.canonical import canonical_case
from replay.evalsets.sealing import key_text
from replay.run.forecast import Prices
from replay.run.limits import Limits
from replay.run.rate_limit import PaceLimits
from replay.targets.base import CallContext
from replay.types import Case, Message, Reply, Severity
from tests.jobs.nightly import Clock
from tests.replay.replays import CONDITIONS, SaysYes
from tests.store.build import revision, stored_case

CATEGORIES = ("billing", "orders", "refunds", "shipping")
CASES = 80


class Model:
    """A model that answers yes and charges a cent, or is down."""

    conditions = replace(CONDITIONS, max_tokens=100)

    def __init__(self) -> None:
        self.out = False
        self.asked: list[str] = []

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        self.asked.append(case.id)
        if self.out:
            raise CallError("connection", "refused", retryable=True)
        return Reply(text="yes", latency_ms=50.0, input_tokens=60, output_tokens=40, cost_usd=0.01)

    async def aclose(self) -> None: ...


class Gate(Model):
    """A model that answers nothing until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        self.reached.set()
        while not self.open.is_set():  # noqa: ASYNC110 - opened from another thread
            await asyncio.sleep(0.01)
        return await super().call(case, sample, context)


class House:
    def __init__(self, folder: Path, *, deployments: Sequence[str] = ("support",), **replay: Any) -> None:
        self.disk_full: Callable[[], bool] = lambda: False
        self.clock, self.models = Clock(), {name: Model() for name in deployments}
        self.model = self.models[deployments[0]]
        self.policy = to_policy(config(replay, deployments))
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        with self.store.write() as tx:
            evalsets.insert(tx, revision(revision="r1", cases=CASES, sealed=False), [stored(i) for i in range(CASES)])
        dependencies = ReplayDependencies(
            target_of=self.models.__getitem__,
            scorers_of=lambda _: [SaysYes()],
            sealer_of=lambda _: None,
            limits_of=lambda _: Limits(max_attempts=1, rounds=1, backoff_base_s=0.001),
            concurrency_of=lambda _: 4,
            pace_of=lambda _: PaceLimits(),
            prices_of=lambda _: Prices(input_usd_per_mtok=1.0, output_usd_per_mtok=10.0),
            announce=lambda: None,
        )
        self.dependencies = dependencies
        self._start()

    def restart(self, folder: Path) -> None:
        """Create everything that a new process creates."""
        self.store.close()
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        self._start()

    def _start(self) -> None:
        self.queue = RunQueue({name: name for name in self.models}.get, must_wait=lambda: self.disk_full())  # noqa: PLW0108 - tests replace it
        spending = Spending(self.store, self.policy, self.clock)
        self.loops = [
            ReplayLoop(
                store=self.store,
                policy=self.policy,
                clock=self.clock,
                dependencies=self.dependencies,
                queue=self.queue,
                spending=spending,
                code_version="test",
                number=number,
            )
            for number in range(1, len(self.models) + 1)
        ]
        self.loop = self.loops[0]

    def replaced(self, **dependencies: Any) -> ReplayDependencies:
        """Replace some dependencies, for this start and later ones."""
        self.dependencies = replace(self.dependencies, **dependencies)
        return self.dependencies

    def plan(self, trigger: Trigger = Trigger.SCHEDULED, deployment: str = "support") -> str:
        now = self.clock.now()
        with self.store.write() as tx:
            run = plan_run(
                tx,
                deployment=deployment,
                eval_set=self.policy.sets["primes"],
                trigger=trigger,
                planned_at=now,
                now=now,
            )
        assert run is not None
        return run.id

    def run(self, run_id: str) -> Run:
        with self.store.read() as tx:
            found = runs.get(tx, run_id)
        assert found is not None
        return found

    def played(self, trigger: Trigger = Trigger.SCHEDULED) -> Run:
        run_id = self.plan(trigger)
        self.loop.step()
        return self.run(run_id)

    def later(self, **span: float) -> None:
        self.clock.instant += timedelta(**span)


SHARED = {"kind": "frozen", "key": key_text(bytes(range(32))), "scorers": [{"kind": "exact"}]}
OWN = {"kind": "dynamic", "scorers": [{"kind": "exact"}]}


def config(replay: dict[str, Any], deployments: Sequence[str] = ("support",)) -> Config:
    return Config.model_validate(
        {
            "deployments": {name: {"target": "model", "sets": ["primes"], "replay": replay} for name in deployments},
            "targets": {
                "model": {
                    "kind": "openai",
                    "base_url": "http://127.0.0.1:9/v1",
                    "model": "m",
                    "price": {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 10.0},
                }
            },
            "sets": {"primes": OWN if len(deployments) == 1 else SHARED},
        }
    )


def stored(i: int) -> Any:
    case = Case(
        id=f"case-{i}",
        input=(Message(role="user", content=f"case-{i}"),),
        references=("yes",),
        category=CATEGORIES[i % 4],
        severity=Severity.HIGH if i % 8 else Severity.LOW,
    )
    return stored_case(case.id, i, revision="r1", category=case.category, content=canonical_case(case).encode())
