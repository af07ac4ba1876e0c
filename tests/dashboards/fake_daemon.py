"""The state of a fake daemon: a week of nights, a change, an alert, and other states of a deployment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel

from monitor.api.schema import (
    AlertItem,
    CategoryEffectItem,
    ChangeItem,
    ComparisonItem,
    CorrectionRates,
    DeploymentItem,
    FailureShiftItem,
    FindingItem,
    NotificationItem,
    ProductionSeriesItem,
    ReportItem,
    RunItem,
    SetDiagnosisItem,
    SetItem,
    StatusItem,
    VersionDayItem,
    VersionItem,
    WorstCaseItem,
)
from monitor.api.schema.categories import FailureGroupItem
from monitor.api.schema.changes import DeploymentNameItem
from monitor.api.schema.interactions import InteractionDetail
from monitor.api.schema.metrics import SetMetricsItem
from monitor.api.schema.overview import OverviewItem

from .items import (
    FIRST_NIGHT,
    NEW,
    OLD,
    alert,
    change,
    comparison,
    deployment,
    eval_set,
    finding,
    notification,
    run,
    version,
)

NOW = datetime(2026, 3, 7, 9, 30, tzinfo=UTC)


@dataclass
class FakeDaemon:
    """The lists of the API, newest first."""

    now: datetime = NOW
    deployments: list[DeploymentItem] = field(default_factory=list)
    versions: list[VersionItem] = field(default_factory=list)
    changes: list[ChangeItem] = field(default_factory=list)
    sets: list[SetItem] = field(default_factory=list)
    runs: list[RunItem] = field(default_factory=list)
    findings: list[FindingItem] = field(default_factory=list)
    diagnoses: list[SetDiagnosisItem] = field(default_factory=list)
    alerts: list[AlertItem] = field(default_factory=list)
    notifications: list[NotificationItem] = field(default_factory=list)
    production: list[ProductionSeriesItem] = field(default_factory=list)
    rates: dict[str, CorrectionRates] = field(default_factory=dict)  # by `by`
    warnings: list[str] = field(default_factory=list)
    overview: list[OverviewItem] = field(default_factory=list)
    metrics: dict[str, SetMetricsItem] = field(default_factory=dict)  # by set
    metrics_problem: str | None = None  # the daemon answers requests for metrics with this error
    reports: list[ReportItem] = field(default_factory=list)
    report_pages: dict[str, str] = field(default_factory=dict)  # HTML by report
    days: list[VersionDayItem] = field(default_factory=list)
    interactions: list[InteractionDetail] = field(default_factory=list)
    searches: list[dict[str, str]] = field(default_factory=list)  # the queries of the searches
    stops_at: datetime | None = None  # the time down to which the next search gets
    groups: list[FailureGroupItem] = field(default_factory=list)
    cases: int = 4  # of every set, on the page Cases
    sealed: bool = False  # whether these cases are sealed
    corrected: bool = True  # whether production has corrections with a failure category

    def status(self) -> StatusItem:
        return StatusItem(
            now=self.now,
            code_version="0.1.0",
            store_bytes=1,
            intake_rows=0,
            intake_capacity=1,
            dead_letters=0,
            warnings=self.warnings,
            loops={},
        )

    def correction_rates(self, deployment: str, by: str) -> CorrectionRates:
        empty: dict[str, Any] = {"version": None, "judged_since": None, "judged_until": None, "items": []}
        window = {"deployment": deployment, "by": by, "since": self.now - timedelta(days=28), "until": self.now}
        return self.rates.get(by) or CorrectionRates.model_validate(window | empty)

    def metrics_of(self, deployment: str, set_name: str) -> SetMetricsItem:
        empty = SetMetricsItem(deployment=deployment, set_name=set_name, verdict=None, metrics=[])
        return self.metrics.get(set_name, empty)

    def lists(self) -> Mapping[str, list[BaseModel]]:
        names = (
            "deployments",
            "versions",
            "changes",
            "sets",
            "runs",
            "findings",
            "diagnoses",
            "alerts",
            "notifications",
            "production",
            "overview",
            "reports",
        )
        named = [DeploymentNameItem(name=one.name, sets=one.sets) for one in self.deployments]
        return {
            **{name: getattr(self, name) for name in names},
            "failure-groups": list(self.groups),
            "deployment-names": list(named),
        }


def nights(count: int, *, dynamic: bool = True) -> FakeDaemon:
    """A deployment without changes: `count` nights of both sets under one version, all with the verdict ok."""
    daemon = FakeDaemon(
        now=FIRST_NIGHT + timedelta(days=count - 1, hours=7, minutes=30),
        deployments=[deployment()],
        versions=[version(OLD, current=True)],
        sets=[eval_set("primes", "frozen", 800), eval_set("corrections", "dynamic", 120)],
    )
    for night in range(count):
        at = FIRST_NIGHT + timedelta(days=night)
        wobble = (night * 7) % 9 - 4
        daemon.runs.insert(0, run("primes", at, {"composite": (282 + wobble, 400), "prime": (389 - wobble // 2, 400)}))
        if dynamic:
            later = at + timedelta(minutes=6)
            daemon.runs.insert(0, run("corrections", later, {"composite": (20 + wobble, 80), "prime": (31, 40)}))
    by_set: dict[str, RunItem] = {}
    for item in reversed(daemon.runs):
        daemon.findings.insert(0, _ok_finding(item, by_set.setdefault(item.set_name, item)))
    return daemon


def _ok_finding(item: RunItem, baseline: RunItem) -> FindingItem:
    if baseline is item:
        reason = "there is no earlier complete run of this set to compare with"
        return finding(item, "insufficient", reason, None)
    compared = comparison(
        baseline.passed / baseline.scored, item.passed / item.scored, n=item.scored, to_fail=21, to_pass=20
    )
    return finding(item, "ok", "nothing moved", compared, baseline_run=baseline.id)


def regression() -> FakeDaemon:
    """Five nights without a change; on the sixth day the model changes, and a replay finds it."""
    daemon = nights(5)
    daemon.now = NOW
    at = datetime(2026, 3, 6, 14, 3, tzinfo=UTC)
    daemon.changes = [change("change-1", at, OLD, NEW)]
    daemon.versions = [version(NEW, current=True), version(OLD)]
    daemon.deployments = [deployment(current=NEW, open_alerts=2)]
    _add_night_after(daemon, "primes", at + timedelta(minutes=6), {"composite": (392, 400), "prime": (10, 400)})
    _add_night_after(daemon, "corrections", at + timedelta(minutes=12), {"composite": (76, 80), "prime": (2, 40)})
    return daemon


def _add_night_after(daemon: FakeDaemon, name: str, at: datetime, categories: Mapping[str, tuple[int, int]]) -> None:
    before = next(row for row in daemon.runs if row.set_name == name)
    item = run(name, at, categories, NEW, trigger="change", change_id="change-1")
    compared = _regressed_comparison(before, item)
    reason = (
        f"pass rate moved from {100 * compared.baseline:.1f} % to {100 * compared.candidate:.1f} % on {item.scored} "
        f"paired cases; {compared.flipped_to_fail} cases flipped to fail, {compared.flipped_to_pass} to pass"
    )
    loud = finding(item, "regression", reason, compared, baseline_run=before.id, change_id="change-1")
    daemon.runs.insert(0, item)
    daemon.findings.insert(0, loud)
    opened = alert(loud, reason)
    daemon.alerts.insert(0, opened)
    daemon.notifications.insert(0, notification(opened))


def _regressed_comparison(before: RunItem, item: RunItem) -> ComparisonItem:
    effects = []
    for old, new in zip(before.categories, item.categories, strict=True):
        effect = new.passed / new.scored - old.passed / old.scored
        effects.append(
            CategoryEffectItem(
                category=new.category,
                n=new.scored,
                baseline=old.passed / old.scored,
                candidate=new.passed / new.scored,
                effect=effect,
                ci_low=effect - 0.03,
                ci_high=effect + 0.03,
                flipped_to_fail=max(0, old.passed - new.passed),
                flipped_to_pass=max(0, new.passed - old.passed),
                p_value_adjusted=1e-12,
                moved=True,
            )
        )
    to_fail, to_pass = (sum(getattr(row, name) for row in effects) for name in ("flipped_to_fail", "flipped_to_pass"))
    ids = [f"prime-{number * 7}" for number in range(to_fail)]
    return comparison(
        before.passed / before.scored,
        item.passed / item.scored,
        n=item.scored,
        to_fail=to_fail,
        to_pass=to_pass,
        categories=effects,
        failure_shifts=[
            FailureShiftItem(failure_category="wrong_answer", baseline=120, candidate=378),
            FailureShiftItem(failure_category="no_choice", baseline=4, candidate=20),
        ],
        worst_cases=[
            WorstCaseItem(
                case_id=case_id, category="prime", severity="high", passing_nights=5, failure_category="wrong_answer"
            )
            for case_id in ids[:5]
        ],
        flipped_case_ids=ids,
    )


def no_runs() -> FakeDaemon:
    """A new configuration: a deployment and its frozen set, without traffic and without replays."""
    return FakeDaemon(deployments=[deployment(current=None, interactions=0)], sets=[eval_set("primes", "frozen", 800)])


def outage() -> FakeDaemon:
    """Five nights without a change, then one in which two cases of five have no verdict."""
    daemon = nights(5, dynamic=False)
    at = FIRST_NIGHT + timedelta(days=5)
    half = run("primes", at, {"composite": (150, 240), "prime": (230, 240)}, cases=800)
    reason = "only 480 of 800 cases (60.0 %) have a verdict in this run, 90.0 % are needed: 240 are missing"
    daemon.runs.insert(0, half)
    daemon.findings.insert(0, finding(half, "insufficient", reason, None))
    daemon.now = at + timedelta(hours=6)
    return daemon


def many() -> FakeDaemon:
    """Four months of nights over ten categories, with three changes of version."""
    count, names = 120, [f"category-{number:02d}" for number in range(10)]
    daemon = nights(1)
    daemon.runs, daemon.findings = [], []
    daemon.versions = [version(NEW, current=True), version(OLD)]
    daemon.deployments = [deployment(current=NEW)]
    daemon.now = FIRST_NIGHT + timedelta(days=count - 1, hours=5)
    for night in range(count):
        version_id = (OLD, NEW)[(night // 30) % 2]
        rates = {name: (22 + (night * (place + 3)) % 6 + place // 3, 34) for place, name in enumerate(names)}
        daemon.runs.insert(0, run("primes", FIRST_NIGHT + timedelta(days=night), rates, version_id))
    for night in (30, 60, 90):
        at = FIRST_NIGHT + timedelta(days=night, hours=-9)
        versions = (OLD, NEW) if night != 60 else (NEW, OLD)
        daemon.changes.insert(0, change(f"change-{night}", at, *versions))
    newest, before = daemon.runs[0], daemon.runs[29]
    compared = comparison(before.passed / before.scored, newest.passed / newest.scored, n=340, to_fail=30, to_pass=31)
    daemon.findings.insert(0, finding(newest, "ok", "nothing moved", compared, baseline_run=before.id))
    return daemon
