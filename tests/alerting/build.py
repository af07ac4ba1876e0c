"""Builders of the alerting room's tests."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.alerting.advance import advance, tick
from monitor.alerting.message import payload
from monitor.alerting.plan import after_failure, after_success, plan, refused_pause_s, unavailable_pause_s
from monitor.domain.alert import Alert, AlertState, DeliveryState, Notification, NotifyReason
from monitor.domain.evalset import SetKind
from monitor.domain.finding import (
    CategoryEffect,
    Comparison,
    FailureShift,
    Finding,
    Interval,
    SetReplay,
    Verdict,
    WorstCase,
)
from monitor.domain.policy import AlertPolicy
from monitor.domain.version import Change, ChangeKind, How
from monitor.drift.judge.deciding_test import two_runs_test

T0 = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
POLICY = AlertPolicy(
    for_s=0.0,
    repeat_s=14_400.0,
    receivers=("pager",),
    dashboard_url="http://127.0.0.1:8501/",
    backoff_s=5.0,
    max_pause_s=300.0,
)
HOUR = 3600.0


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def a_category(name: str, n: int, baseline: float, candidate: float, *, moved: bool = True) -> CategoryEffect:
    return CategoryEffect(
        category=name,
        n=n,
        baseline=baseline,
        candidate=candidate,
        effect=candidate - baseline,
        interval=Interval(low=candidate - baseline - 0.05, high=candidate - baseline + 0.05),
        flipped_to_fail=int(n * max(0.0, baseline - candidate)),
        flipped_to_pass=int(n * max(0.0, candidate - baseline)),
        p_value_adjusted=1e-9 if moved else 0.8,
        moved=moved,
    )


def a_worst_case(position: int, nights: int = 5) -> WorstCase:
    return WorstCase(
        case_id=f"prime-{position:04}",
        category="prime",
        severity="medium",
        passing_nights=nights,
        failure_category="wrong_answer",
    )


COMPARISON = Comparison(
    metric="pass_rate",
    baseline=0.84,
    candidate=0.5025,
    effect=-0.3375,
    interval=Interval(low=-0.385, high=-0.29),
    p_value=1.2e-40,
    flipped_to_fail=382,
    flipped_to_pass=112,
    n=800,
    mde=0.031,
    mde_discordance=0.1,
    mde_source="a/a",
    categories=(
        a_category("composite", 300, 0.704, 0.98),
        a_category("even", 40, 0.9, 0.89, moved=False),
        a_category("prime", 460, 0.976, 0.024),
    ),
    failure_shifts=(FailureShift(failure_category="wrong_answer", baseline=128, candidate=398),),
    worst_cases=tuple(a_worst_case(n, nights) for n, nights in enumerate((5, 5, 4, 1, 0, 0))),
    flipped_case_ids=("prime-0000",),
)


DECIDED = two_runs_test(COMPARISON, 0.05)


def a_finding(name: str = "f1", verdict: Verdict = Verdict.REGRESSION, **fields: Any) -> Finding:
    base: dict[str, Any] = {
        "deployment": "support",
        "at": T0,
        "signal": "score",
        "segment": "overall",
        "severity": "critical" if verdict is Verdict.REGRESSION else "info",
        "reason": f"{verdict} says {name}",
        "alpha": 0.05,
        "baseline_run": "run-1",
        "from_version": "aaa",
        "to_version": "bbb",
        "comparison": COMPARISON,
        "decided": DECIDED,
    }
    if fields.get("comparison", COMPARISON) is None:
        base["decided"] = None
    set_name = fields.pop("set_name", "primes")
    base["subject"] = SetReplay(set_name=set_name, set_kind=SetKind.FROZEN, candidate_run="run-2")
    return Finding(id=name, verdict=verdict, **(base | fields))


def an_alert(state: AlertState = AlertState.FIRING, **fields: Any) -> Alert:
    opened = advance(None, a_finding(), POLICY, T0, "a1")
    assert opened is not None
    return replace(opened, state=state, **fields)


def a_change() -> Change:
    return Change(
        id="change-1",
        deployment="support",
        at=at(-1200),
        noted_at=at(-1140),
        kind=ChangeKind.MODEL,
        how=How.OBSERVED,
        from_version="aaa",
        to_version="bbb",
    )


def a_payload(alert: Alert | None = None, **fields: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "reason": NotifyReason.FIRST,
        "policy": POLICY,
        "from_label": "gpt-4-0314 · prompt 3f2a9c",
        "to_label": "gpt-4-0613 · prompt 3f2a9c",
        "change": a_change(),
    }
    finding = fields.pop("finding", None) or a_finding()
    return payload(alert or an_alert(), finding, **(options | fields))


def a_notification(**fields: Any) -> Notification:
    base: dict[str, Any] = {
        "id": "n1",
        "alert_id": "a1",
        "receiver": "pager",
        "reason": NotifyReason.FIRST,
        "payload": a_payload(),
        "state": DeliveryState.QUEUED,
        "planned_at": T0,
        "next_attempt_at": T0,
    }
    return Notification(**(base | fields))


def _numbers() -> Iterator[int]:
    yield from range(1, 100_000)


@dataclass
class Desk:
    """Alerts and outbox of one deployment, moved as the daemon moves them: advance or tick, then plan, then send."""

    policy: AlertPolicy = POLICY
    alerts: list[Alert] = field(default_factory=list)
    outbox: list[Notification] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=_numbers)

    @property
    def open_alert(self) -> Alert | None:
        """The open alert; there is never more than one."""
        still = [alert for alert in self.alerts if alert.state is not AlertState.RESOLVED]
        assert len(still) <= 1
        return still[0] if still else None

    def apply(self, finding: Finding, now: datetime) -> None:
        advanced = advance(self.open_alert, finding, self.policy, now, f"a{next(self.numbers)}")
        if advanced is not None:
            self._keep(advanced)
            self._plan(advanced, finding, now)

    def tick(self, now: datetime) -> None:
        if self.open_alert is not None:
            ticked = tick(self.open_alert, self.policy, now)
            self._keep(ticked)
            self._plan(ticked, a_finding(ticked.last_finding_id), now)

    def deliver(self, now: datetime, *, works: bool = True, retryable: bool = True) -> None:
        """Attempt whatever is due."""
        for position, one in enumerate(self.outbox):
            if one.next_attempt_at is not None and one.next_attempt_at <= now:
                count = one.attempt + 1
                pause_s = unavailable_pause_s(count, self.policy, 0.0) if retryable else refused_pause_s(count, POLICY)
                failed = after_failure(one, now, "down", pause_s)
                self.outbox[position] = after_success(one, now) if works else failed

    def told(self, receiver: str = "pager") -> list[str]:
        return [str(one.reason) for one in self.outbox if one.receiver == receiver]

    def _keep(self, alert: Alert) -> None:
        self.alerts = [*(other for other in self.alerts if other.id != alert.id), alert]

    def _plan(self, alert: Alert, finding: Finding, now: datetime) -> None:
        sent = [one for one in self.outbox if one.alert_id == alert.id]
        planned = plan(
            alert,
            sent,
            self.policy,
            now,
            payload=lambda reason: a_payload(alert, finding=finding, reason=reason),
            new_id=lambda: f"n{next(self.numbers)}",
        )
        replaced = {one.id: one for one in planned.replaced}
        self.outbox = [replaced.get(one.id, one) for one in self.outbox] + planned.new
