"""Targets, budgets, changes and candidates of a house with real tables."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from monitor.alerting.checks.condition import Condition, ConditionState
from monitor.domain.run import Trigger
from monitor.domain.version import Change, ChangeKind, How
from monitor.jobs.alerting.evaluation_checks import BudgetCheck, CandidateCheck, ChangeCheck, TargetCheck
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.runs import runs
from monitor.store.traffic import versions
from replay.errors import CallError
from replay.periods import Period
from replay.run.budget import Budget
from replay.targets.base import CallContext
from replay.types import Case, Reply
from tests.jobs.replay_house import House, Model

FIRING, CLEAR, UNKNOWN = ConditionState.FIRING, ConditionState.CLEAR, ConditionState.UNKNOWN


class Keyless(Model):
    """A model that rejects every key."""

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        raise CallError("auth", "the key is refused", retryable=False)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def states(conditions: Iterable[Condition]) -> dict[str, ConditionState]:
    return {one.rule: one.state for one in conditions}


def test_a_revoked_key_is_unauthorized_until_a_run_gets_replies(house: House) -> None:
    check = TargetCheck(house.store, house.policy)
    assert set(states(check.conditions(house.clock.now())).values()) == {UNKNOWN}
    working = house.loop._executor._dependencies
    house.loop._executor._dependencies = house.replaced(target_of=lambda _: Keyless())
    house.plan()
    house.loop.step()
    assert states(check.conditions(house.clock.now())) == {"TargetUnreachable": CLEAR, "TargetUnauthorized": FIRING}
    house.loop._executor._dependencies = working
    house.later(days=1)
    house.plan()
    house.loop.step()
    assert set(states(check.conditions(house.clock.now())).values()) == {CLEAR}


def test_a_daily_budget_is_exhausted_until_midnight(house: House) -> None:
    support = house.policy.deployments["support"]
    limited = replace(support, replay=replace(support.replay, periods={Period.DAY: Budget(requests=10)}))
    policy = replace(house.policy, deployments={"support": limited})
    check = BudgetCheck(house.store, policy)
    assert states(check.conditions(house.clock.now())) == {"BudgetExhausted": CLEAR}
    house.plan()
    house.loop.step()
    assert states(check.conditions(house.clock.now())) == {"BudgetExhausted": FIRING}
    house.later(days=1)
    assert states(check.conditions(house.clock.now())) == {"BudgetExhausted": CLEAR}
    assert states(BudgetCheck(house.store, house.policy).conditions(house.clock.now())) == {}


def changed(house: House, noted_at: datetime) -> None:
    change = Change(
        id="change-1",
        deployment="support",
        at=noted_at,
        noted_at=noted_at,
        kind=ChangeKind.MODEL,
        how=How.OBSERVED,
        from_version="a",
        to_version="b",
    )
    with house.store.write() as tx:
        versions.insert_change(tx, change)


def judge(house: House) -> None:
    VerdictLoop(
        store=house.store,
        policy=house.policy,
        clock=house.clock,
        dependencies=InvestigationDependencies(rejudge_of=lambda _: Rescoring(house.store, [], None)),
    ).step()


def test_a_change_waits_until_its_set_has_a_verdict(house: House) -> None:
    check = ChangeCheck(house.store, house.policy)
    assert states(check.conditions(house.clock.now())) == {"ChangeNotEvaluated": CLEAR}
    now = house.clock.now()
    changed(house, now)
    assert states(check.conditions(now)) == {"ChangeNotEvaluated": UNKNOWN}
    [late] = check.conditions(now + timedelta(days=400))
    assert late.state is FIRING
    assert "driftd replay run support primes" in late.reason
    house.plan(Trigger.CHANGE)
    house.loop.step()
    judge(house)
    assert states(check.conditions(now + timedelta(days=400))) == {"ChangeNotEvaluated": CLEAR}


def test_the_run_that_detected_a_change_evaluates_it(house: House) -> None:
    """A night finds a new version: the run was planned before the change was noted."""
    check, planned_at = ChangeCheck(house.store, house.policy), house.clock.now()
    run_id = house.plan()
    house.loop.step()
    judge(house)
    changed(house, planned_at + timedelta(seconds=2))
    assert states(check.conditions(planned_at + timedelta(days=400))) == {"ChangeNotEvaluated": FIRING}
    with house.store.write() as tx:
        runs.set_change(tx, run_id, "change-1")
    assert states(check.conditions(planned_at + timedelta(days=400))) == {"ChangeNotEvaluated": CLEAR}


def test_a_deployment_without_candidates_is_clear(house: House) -> None:
    check = CandidateCheck(house.store, house.policy)
    assert states(check.conditions(house.clock.now())) == {"CandidatesWaiting": CLEAR}
