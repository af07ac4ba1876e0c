"""A budget applies to all attempts of a run, over restarts, and to all runs of a day and a month."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from monitor.domain.run import RunState, Trigger
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes, spending
from monitor.store.sets import access_log as access
from replay.errors import CallError
from replay.run.budget import Spent
from replay.run.limits import Limits
from replay.targets.base import CallContext
from replay.types import Case, Reply
from tests.jobs.nightly import FIRST
from tests.jobs.replay_house import CASES, House, Model


def spent(house: House, run_id: str) -> Spent:
    with house.store.read() as tx:
        return spending.of_run(tx, run_id)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_target_that_fails_gets_no_more_requests_than_the_budget_over_three_starts(
    tmp_path: Path, restarts: bool
) -> None:
    house = House(tmp_path, budget={"requests": 150}, retries=5, retry_minutes=1.0)
    house.model.out = True
    house.loop._executor._dependencies = house.replaced(limits_of=lambda _: Limits(max_attempts=4, backoff_base_s=0.0))
    run_id = house.plan()
    for _ in range(5):
        house.loop.step()
        house.later(hours=1)
        if restarts:
            house.restart(tmp_path)
    run = house.run(run_id)
    assert len(house.model.asked) <= 150
    assert len(house.model.asked) > 100  # the budget is used, not avoided
    assert spent(house, run_id).requests == len(house.model.asked)
    assert run.state is RunState.FAILED
    assert "'support': the requests budget of the run is spent (deployments.support.replay.budget.requests)" in (
        run.error or ""
    )
    assert "calls in a row failed with connection" in (run.error or "")


class Flaky(Model):
    """Loses two of three answers, which are charged nevertheless."""

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        reply = await super().call(case, sample, context)
        if len(self.asked) % 3:
            raise CallError("timeout", "no answer within 60 s", retryable=True)
        return reply


@pytest.mark.parametrize(("limit", "most"), [("usd", 0.6), ("tokens", 6000)])
def test_money_and_tokens_of_answers_that_never_came_count(tmp_path: Path, limit: str, most: float) -> None:
    house = House(tmp_path, budget={limit: most})
    house.models["support"] = flaky = Flaky()
    run = house.played()
    assert run.stopped_by == limit
    paid = {"usd": 0.01, "tokens": 100}[limit] * len(flaky.asked)
    unknown = 4 * {"usd": 0.01, "tokens": 100}[limit]  # calls that failed before the first answer reported a price
    assert 0.8 * most < paid <= most + unknown


def test_requests_of_a_killed_process_are_spent_and_listed(tmp_path: Path) -> None:
    """A kill leaves requests that started and never ended. The next start charges each as the most expensive reply."""
    house = House(tmp_path, deployments=("support", "other"), budget={"requests": 50})
    first = house.played()
    with house.store.write() as tx:
        spending.record(tx, first.id, "support", FIRST, started=7, ended=Spent())
    house.restart(tmp_path)
    house.plan()
    house.loop.step()
    found = spent(house, first.id)
    assert (found.requests, found.tokens, round(found.usd, 6)) == (57, 5700, 0.57)


def test_the_ledger_of_access_counts_every_attempt(tmp_path: Path) -> None:
    house = House(tmp_path, deployments=("support", "other"))
    house.models["support"] = flaky = Flaky()
    house.loop._executor._dependencies = house.replaced(limits_of=lambda _: Limits(max_attempts=4, backoff_base_s=0.0))
    house.played()
    with house.store.read() as tx:
        entry = access.page(tx, "primes", None, PageQuery()).items[0]
    assert entry.calls == len(flaky.asked) > CASES


def test_the_budget_of_a_day_holds_over_all_runs_and_is_renewed(tmp_path: Path) -> None:
    house = House(tmp_path, daily_budget={"requests": CASES + 20})
    assert house.played().stopped_by is None
    house.later(hours=1)
    partial = house.played(Trigger.CHANGE)
    assert (partial.state, partial.stopped_by, partial.cases_attempted) == (
        RunState.COMPLETE,
        "requests of the day",
        20,
    )
    house.restart(tmp_path)
    refused = house.played()
    assert refused.state is RunState.FAILED
    reason = (
        "deployment 'support': the requests budget of the day is spent "
        "(deployments.support.replay.daily_budget.requests); replays can run again from 2026-03-02 00:00 UTC"
    )
    assert refused.error == reason
    assert len(house.model.asked) == CASES + 20
    house.later(days=1)
    assert house.played().stopped_by is None


def test_the_budget_of_a_month_holds_over_its_days(tmp_path: Path) -> None:
    house = House(tmp_path, monthly_budget={"usd": 2.0})
    cut = []
    for _ in range(4):
        cut.append(house.played())
        house.later(days=1)
        house.restart(tmp_path)
    assert [run.stopped_by for run in cut] == [None, None, "usd of the month", None]
    assert "the usd budget of the month is spent" in (cut[-1].error or "")
    assert len(house.model.asked) <= 200
    house.later(days=31)
    assert house.played().state is RunState.COMPLETE


def test_a_run_that_is_over_keeps_one_row_a_day_of_what_it_spent(tmp_path: Path) -> None:
    house = House(tmp_path)
    run = house.played()
    with house.store.read() as tx:
        rows = tx.query("spend_of_run", run_id=run.id)
        assert len(outcomes.answered(tx, run.id)) == CASES
    assert [(row["requests"], row["open"], row["tokens"]) for row in rows] == [(CASES, 0, 100 * CASES)]


def test_what_no_budget_counts_any_more_goes_with_its_run(tmp_path: Path) -> None:
    house = House(tmp_path)
    run = house.played()
    later = datetime(2026, 6, 1, tzinfo=UTC)
    with house.store.write() as tx:
        assert spending.expire(tx, later) == 0  # the run is there and shows it
        tx.execute("remove_runs", ids=[run.id])
        assert spending.expire(tx, FIRST + timedelta(days=30)) == 0
        assert spending.expire(tx, later) == 1
