"""Replays of a set with critical cases through the loops that replay, judge and alert."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from monitor.domain.alert import Alert, Notification
from monitor.domain.finding import Finding, GateEvidence
from monitor.domain.run import Run
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.findings import alerts, findings
from monitor.store.runs import outcomes
from monitor.store.sets import revisions as evalsets
from replay.errors import CallError
from replay.evalsets.canonical import canonical_case
from replay.scorers.must import forbidden_categories
from replay.scorers.table import build_scorer
from replay.targets.base import CallContext
from replay.types import Case, Message, Reply, Severity
from tests.jobs.nightly import EVERYONE
from tests.jobs.replay_house import House, Model
from tests.store.build import revision, stored_case

CASES, CRITICAL = 40, 4  # critical-0 to critical-3, and 36 others with the same expectation
FORBIDDEN = "refund guaranteed"
IDS = (*(f"critical-{i}" for i in range(CRITICAL)), *(f"case-{i}" for i in range(CASES - CRITICAL)))


class Guarantor(Model):
    """A model that promises a refund in the first `promises` replies to some cases of each night."""

    def __init__(self) -> None:
        super().__init__()
        self.promises: dict[str, int] = {}
        self.replies: Counter[str] = Counter()
        self.silent_after: int | None = None  # calls of a night until the endpoint stops to answer

    def next_night(self, promises: dict[str, int]) -> None:
        self.promises, self.replies, self.asked = promises, Counter(), []

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        self.out = self.silent_after is not None and len(self.asked) >= self.silent_after
        if self.out:
            self.asked.append(case.id)
            raise CallError("connection", "refused", retryable=True)
        reply = await super().call(case, sample, context)
        self.replies[case.id] += 1
        promised = self.replies[case.id] <= self.promises.get(case.id, 0)
        return replace(reply, text=FORBIDDEN if promised else "please ask support")


class Gated:
    """A house with the severity gate. Each night is one replay, judged and alerted on."""

    def __init__(self, folder: Path, *, samples: int = 1, **drift: Any) -> None:
        self.house = House(folder)
        self.model = Guarantor()
        self.house.models["support"] = self.model
        scorers = [build_scorer("must", {})]
        self.house.replaced(scorers_of=lambda _: scorers)
        policy = self.house.policy
        support = policy.deployments["support"]
        self.drift = replace(support.drift, **drift)
        self.house.policy = replace(
            policy,
            alerts=replace(policy.alerts, rules={}, receivers=("pager",), group_wait_s=0.0),
            deployments={"support": replace(support, drift=self.drift)},
            sets={"primes": replace(policy.sets["primes"], samples=samples)},
        )
        self.revise("r2", IDS)
        self.house._start()
        asks = InvestigationDependencies(rejudge_of=lambda _: Rescoring(self.house.store, scorers, None))
        store, clock = self.house.store, self.house.clock
        self.judge = VerdictLoop(
            store=store,
            policy=self.house.policy,
            clock=clock,
            dependencies=asks,
            forbidden_of=lambda _: forbidden_categories(scorers),
        )
        self.alert_loop = AlertLoop(store=store, policy=self.house.policy, clock=clock)

    def revise(self, name: str, ids: Iterable[str]) -> None:
        cases = [stored(case_id, i, name) for i, case_id in enumerate(ids)]
        self.house.later(seconds=1)
        with self.house.store.write() as tx:
            fields: dict[str, Any] = {
                "cases": len(cases),
                "sealed": False,
                "created_at": self.house.clock.now() + timedelta(days=3650),
            }
            evalsets.insert(tx, revision(revision=name, **fields), cases)

    def night(self, **promises: int) -> Run:
        """Replay, judge and alert. `critical_0=2`: the first two replies to critical-0 have forbidden content."""
        self.model.next_night({case_id.replace("_", "-"): count for case_id, count in promises.items()})
        self.house.later(days=1)
        run = self.house.played()
        self.judge.step()
        self.alert_loop.step()
        return run

    def asked(self) -> dict[str, int]:
        """Return the cases with more than one call in the newest night."""
        return {case: calls for case, calls in Counter(self.model.asked).items() if calls > 1}

    def findings(self, signal: str = "severity_gate") -> list[Finding]:
        with self.house.store.read() as tx:
            found = findings.page(tx, EVERYONE).items[::-1]
        return [one for one in found if one.signal == signal]

    def gate(self) -> GateEvidence:
        found = self.findings()[-1].severity_gate
        assert found is not None
        return found

    def alerts(self) -> list[Alert]:
        """Return the alerts of the severity gate, the newest first."""
        with self.house.store.read() as tx:
            return [one for one in alerts.page(tx, EVERYONE).items if one.rule == "SeverityGate"]

    def notifications(self) -> list[Notification]:
        """Return the notifications of the newest alert of the severity gate."""
        with self.house.store.read() as tx:
            return alerts.notifications_of(tx, self.alerts()[0].id)

    def pass_counts(self, run: Run) -> dict[str, int]:
        """Return the samples that count for each case."""
        with self.house.store.read() as tx:
            return {case.case_id: case.samples for case in outcomes.case_results(tx, run.id)}


def stored(case_id: str, position: int, name: str) -> Any:
    critical = case_id.startswith("critical")
    case = Case(
        id=case_id,
        input=(Message(role="user", content=case_id),),
        must_not=("guaranteed",),
        category="refunds",
        severity=Severity.CRITICAL if critical else Severity.HIGH,
    )
    content = canonical_case(case).encode()
    fields = {"revision": name, "category": case.category, "severity": case.severity.value, "content": content}
    return stored_case(case_id, position, **fields)
