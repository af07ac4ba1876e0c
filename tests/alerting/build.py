"""Builders of the alerting room's tests."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from monitor.alerting.advance import advance, dedup_key, group_key, tick
from monitor.alerting.group import group_parts, lead_of
from monitor.alerting.message import payload
from monitor.alerting.needs_update import Group
from monitor.alerting.plan import after_failure, after_success, plan, refused_pause_s, unavailable_pause_s
from monitor.alerting.suppress import suppressed
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
from monitor.domain.silence import Silence
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
        "group_id": "a1",
        "receiver": "pager",
        "reason": NotifyReason.FIRST,
        "payload": a_payload(),
        "state": DeliveryState.QUEUED,
        "planned_at": T0,
        "next_attempt_at": T0,
    }
    return Notification(**(base | fields))


def a_group(alert: Alert | None = None, **fields: Any) -> Group:
    """A group with one alert."""
    one = alert or an_alert(**fields)
    return Group(id=one.group_id, alerts=[one], suppressed={})


def _numbers() -> Iterator[int]:
    yield from range(1, 100_000)


@dataclass
class Desk:
    """Alerts and outbox, moved as AlertLoop moves them: advance or tick, then plan each group, then send."""

    policy: AlertPolicy = POLICY
    alerts: list[Alert] = field(default_factory=list)
    outbox: list[Notification] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=_numbers)

    @property
    def open_alert(self) -> Alert | None:
        """The open alert of a story about one subject."""
        still = self.open_alerts
        assert len(still) <= 1
        return still[0] if still else None

    @property
    def open_alerts(self) -> list[Alert]:
        still = [alert for alert in self.alerts if alert.state is not AlertState.RESOLVED]
        assert len({alert.dedup_key for alert in still}) == len(still)
        return still

    def apply(self, finding: Finding, now: datetime) -> None:
        self.findings[finding.id] = finding
        key, group = dedup_key(finding), group_key(finding, self.policy)
        since = now - timedelta(seconds=self.policy.flapping.window_s)
        advanced = advance(
            next((alert for alert in self.open_alerts if alert.dedup_key == key), None),
            finding,
            self.policy,
            now,
            f"a{next(self.numbers)}",
            group_id=next((alert.group_id for alert in reversed(self.open_alerts) if alert.group_key == group), None),
            episodes=sum(
                a.dedup_key == key and a.resolved_at is not None and a.resolved_at >= since for a in self.alerts
            ),
        )
        if advanced is not None:
            self.keep(advanced)
        self.plan(now)

    def tick(self, now: datetime) -> None:
        for alert in self.open_alerts:
            self.keep(tick(alert, self.policy, now))
        self.plan(now)

    def deliver(self, now: datetime, *, works: bool = True, retryable: bool = True) -> None:
        """Attempt all notifications that are due."""
        for position, one in enumerate(self.outbox):
            if one.next_attempt_at is not None and one.next_attempt_at <= now:
                count = one.attempt + 1
                pause_s = unavailable_pause_s(count, self.policy, 0.0) if retryable else refused_pause_s(count, POLICY)
                failed = after_failure(one, now, "down", pause_s)
                self.outbox[position] = after_success(one, now) if works else failed

    def told(self, receiver: str = "pager") -> list[str]:
        return [str(one.reason) for one in self.outbox if one.receiver == receiver]

    def keep(self, alert: Alert) -> None:
        self.alerts = [*(other for other in self.alerts if other.id != alert.id), alert]

    def plan(self, now: datetime) -> None:
        hidden = suppressed(self.open_alerts, self.silences, now, self.policy.maintenance)
        for group_id in dict.fromkeys(alert.group_id for alert in self.alerts):
            members = [alert for alert in self.alerts if alert.group_id == group_id]
            lead = lead_of(members)
            planned = plan(
                Group(id=group_id, alerts=members, suppressed=hidden),
                [one for one in self.outbox if one.group_id == group_id],
                self.policy,
                now,
                payload=lambda reason, lead=lead, members=members: (
                    a_payload(  # type: ignore[misc]
                        lead, finding=self.findings[lead.last_finding_id], reason=reason
                    )
                    | group_parts(members, self.policy, hidden)
                ),
                new_id=lambda: f"n{next(self.numbers)}",
            )
            replaced = {one.id: one for one in planned.replaced}
            self.outbox = [replaced.get(one.id, one) for one in self.outbox] + planned.new
