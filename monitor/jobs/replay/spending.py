"""Enforces the budgets of replays. A request is recorded before it is sent, and all runs of a deployment share the
record.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from monitor.clock import Clock
from monitor.domain.evalset import Replayed
from monitor.domain.policy import Policy
from monitor.domain.run import Run
from monitor.store.engine.database import Store
from monitor.store.runs import runs, spending
from monitor.store.sets import access_log as access
from replay.call_log import CallStart
from replay.periods import PeriodAccount
from replay.run.budget import Account, Spent

RECENT = timedelta(days=31)


class Spending:
    """Shared by everything in a process that calls targets. The count is exact: one process owns the file, and of the
    processes with a lake one leads, which adds what the others spent.
    """

    def __init__(
        self, store: Store, policy: Policy, clock: Clock, *, elsewhere: Callable[[], Collection[str]] = frozenset
    ) -> None:
        """`elsewhere` returns the ids of the runs that other processes replay now."""
        self._store, self._policy, self._clock, self._elsewhere = store, policy, clock, elsewhere
        self._lock = threading.Lock()  # protects both below
        self._accounts: dict[str, Sequence[Account]] = {}  # by deployment
        self._lost_counted = False

    def accounts(self, deployment: str) -> Sequence[Account]:
        """Return the budgets that the runs of a deployment share, the same objects each time."""
        with self._lock:
            if not self._lost_counted:  # requests that are open now were sent by a process that was killed
                working = self._elsewhere()
                with self._store.write() as tx:
                    spending.charge_lost(tx, self._clock.now(), except_for=working)
                self._lost_counted = True
            if deployment not in self._accounts:
                self._accounts[deployment] = self._opened(deployment)
            return self._accounts[deployment]

    def add(self, run: Run, before: Spent) -> Spent:
        """Charge the requests of killed processes of a run, and add what other processes spent on it since `before`.
        Return what the run has spent. Call this while no process replays the run.
        """
        with self._store.write() as tx:
            spending.charge_lost(tx, self._clock.now(), of_run=run.id)
        now = self.of_run(run.id)
        more = Spent(
            requests=now.requests - before.requests, tokens=now.tokens - before.tokens, usd=now.usd - before.usd
        )
        for account in self.accounts(run.deployment):
            account.charge(more)
        return now

    def of_run(self, run_id: str) -> Spent:
        """Return what the run has spent, requests of killed processes included."""
        with self._store.read() as tx:
            return spending.of_run(tx, run_id)

    def most_expensive_reply(self, deployment: str) -> Spent:
        """Return the maximum cost of one request: the most expensive request of the last month."""
        with self._store.read() as tx:
            return spending.most_expensive_reply(tx, deployment, self._clock.now() - RECENT)

    def limit_met(self, run: Run) -> str | None:
        """Return the limit that forbids any further request of the run."""
        budget = self._policy.deployments[run.deployment].replay.budget
        own = Account(budget, spent=self.of_run(run.id), expected=self.most_expensive_reply(run.deployment))
        return next((met for account in (own, *self.accounts(run.deployment)) if (met := account.limit())), None)

    def call_log(self, deployment: str, replayed: Replayed | None) -> "StoreCallLog":
        """Return the log that records the requests of a run; with `replayed`, it records the access to sealed cases
        too.
        """
        return StoreCallLog(self._store, self._clock, deployment, replayed)

    def fold(self, run_id: str) -> None:
        """Keep only the sums of a finished run, or of a finished step of root-cause analysis."""
        with self._store.write() as tx:
            if not runs.is_open(tx, run_id):
                spending.fold(tx, run_id)

    def _opened(self, deployment: str) -> Sequence[Account]:
        limits, now = self._policy.deployments[deployment].replay.periods, self._clock.now()
        with self._store.read() as tx:
            spent = {period: spending.since(tx, period.begin(now)).get(deployment, Spent()) for period in limits}
        largest = self.most_expensive_reply(deployment)
        return [
            PeriodAccount(budget, period, self._clock.now, spent=spent[period], expected=largest)
            for period, budget in limits.items()
        ]


class StoreCallLog:
    """Implements replay's CallLog in the store."""

    def __init__(self, store: Store, clock: Clock, deployment: str, replayed: Replayed | None) -> None:
        self._store, self._clock, self._deployment, self._replayed = store, clock, deployment, replayed

    def record(self, run_id: str, started: Sequence[CallStart], ended: Spent, unused: Sequence[CallStart] = ()) -> None:
        now, number = self._clock.now(), len(started) - len(unused)
        with self._store.write() as tx:
            if self._replayed is not None:
                access.record(tx, self._replayed, started, unused)
            spending.record(tx, run_id, self._deployment, now, started=number, ended=ended)
