from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.run import Run, RunState, Trigger
from monitor.jobs.planning import plan_run
from monitor.jobs.replays import Arms, ReplayLoop
from monitor.store import evalsets, outcomes, runs
from monitor.store.database import Store
from replay.errors import CallError
from replay.evalsets.canonical import canonical_case
from replay.forecast import Prices
from replay.limits import Limits
from replay.pace import PaceLimits
from replay.targets.base import CallContext
from replay.types import Case, Message, Reply, Severity
from tests.jobs.nightly import FIRST, Clock
from tests.replay.replays import CONDITIONS, SaysYes
from tests.store.build import revision, stored_case

CATEGORIES = ("billing", "orders", "refunds", "shipping")
CASES = 80


class Model:
    """Answers yes and charges a cent, or is out."""

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


class House:
    def __init__(self, folder: Path, **replay: Any) -> None:
        self.clock, self.model = Clock(), Model()
        self.policy = to_policy(config(replay))
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        with self.store.write() as tx:
            evalsets.insert(tx, revision(revision="r1", cases=CASES, sealed=False), [stored(i) for i in range(CASES)])
        arms = Arms(
            target_of=lambda _: self.model,
            scorers_of=lambda _: [SaysYes()],
            sealer_of=lambda _: None,
            limits_of=lambda _: Limits(max_attempts=1, rounds=1, backoff_base_s=0.001),
            concurrency_of=lambda _: 4,
            pace_of=lambda _: PaceLimits(),
            prices_of=lambda _: Prices(input_usd_per_mtok=1.0, output_usd_per_mtok=10.0),
            announce=lambda: None,
        )
        self.loop = ReplayLoop(store=self.store, policy=self.policy, clock=self.clock, arms=arms, code_version="test")

    def plan(self, trigger: Trigger = Trigger.SCHEDULED) -> str:
        now = self.clock.now()
        with self.store.write() as tx:
            run = plan_run(
                tx,
                deployment="support",
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


def config(replay: dict[str, Any]) -> Config:
    return Config.model_validate(
        {
            "deployments": {"support": {"target": "model", "sets": ["primes"], "replay": replay}},
            "targets": {
                "model": {
                    "kind": "openai",
                    "base_url": "http://127.0.0.1:9/v1",
                    "model": "m",
                    "price": {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 10.0},
                }
            },
            "sets": {"primes": {"kind": "dynamic", "scorers": [{"kind": "exact"}]}},
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


def test_a_run_that_meets_its_budget_is_a_fair_sample_and_says_so(tmp_path: Path) -> None:
    house = House(tmp_path, budget={"requests": 40})
    run = house.played()
    assert (run.state, run.cut_by, run.asked, run.cases) == (RunState.COMPLETE, "requests", 40, CASES)
    assert run.manifest is not None
    assert run.manifest["extra"]["partial"] == "cut off by its budget of requests"
    shares = Counter(CATEGORIES[int(case.split("-")[1]) % 4] for case in house.model.asked)
    assert all(9 <= shares[category] <= 11 for category in CATEGORIES)


def test_money_is_never_spent_beyond_the_budget(tmp_path: Path) -> None:
    run = House(tmp_path, budget={"usd": 0.255}).played()
    assert run.manifest is not None
    assert run.manifest["cost_usd"] <= 0.255
    assert (run.cut_by, run.asked) == ("usd", 25)


def test_a_budget_in_money_needs_a_price() -> None:
    settings = config({"budget": {"usd": 1.0}}).model_dump(mode="json", exclude_unset=True)
    del settings["targets"]["model"]["price"]
    with pytest.raises(ValueError, match=r"replay\.budget\.usd needs targets\.model\.price"):
        Config.model_validate(settings)


def test_what_a_run_will_take_is_said_before_it_and_the_next_one_goes_by_it(tmp_path: Path) -> None:
    house = House(tmp_path)
    first = house.played()
    assert first.forecast is not None
    assert (first.forecast["calls"], first.forecast["basis"]) == (CASES, "the length of the texts")
    assert first.forecast["tokens"] > CASES * 100
    house.later(days=1)
    second = house.played()
    assert second.forecast is not None
    assert second.manifest is not None
    assert second.forecast["basis"] == "the last run"
    assert second.forecast["usd"] == pytest.approx(second.manifest["cost_usd"])
    assert second.forecast["seconds"] == pytest.approx(CASES * 0.05 / 4)


def test_a_run_whose_target_is_out_waits_and_goes_on_the_same_night(tmp_path: Path) -> None:
    house = House(tmp_path, retry_minutes=10.0)
    house.model.out = True
    waiting = house.played()
    assert (waiting.state, waiting.retries) == (RunState.RUNNING, 1)
    assert waiting.retry_at == FIRST + timedelta(minutes=10)
    assert "calls in a row failed" in (waiting.error or "")
    asked = len(house.model.asked)
    house.later(minutes=9)
    assert house.loop.step() == 0
    assert len(house.model.asked) == asked
    house.model.out = False
    house.later(minutes=1)
    house.loop.step()
    done = house.run(waiting.id)
    assert (done.state, done.retry_at, done.error) == (RunState.COMPLETE, None, None)
    with house.store.read() as tx:
        assert len(outcomes.answered(tx, done.id)) == CASES


def test_it_is_put_off_twice_as_long_each_time_and_fails_at_last(tmp_path: Path) -> None:
    house = House(tmp_path, retries=2, retry_minutes=10.0)
    house.model.out = True
    run_id = house.played().id
    house.later(minutes=10)
    house.loop.step()
    assert house.run(run_id).retry_at == FIRST + timedelta(minutes=30)
    house.later(minutes=20)
    house.loop.step()
    failed = house.run(run_id)
    assert (failed.state, failed.retries) == (RunState.FAILED, 2)
    assert "calls in a row failed with connection" in (failed.error or "")


def test_somebody_who_waits_for_a_run_is_told_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.model.out = True
    assert house.played(Trigger.MANUAL).state is RunState.FAILED


def test_a_waiting_run_can_be_tried_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.model.out = True
    run_id = house.played().id
    house.model.out = False
    with house.store.write() as tx:
        runs.resume(tx, run_id)
    house.loop.step()
    assert house.run(run_id).state is RunState.COMPLETE
