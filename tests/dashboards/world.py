"""What a daemon would tell: a week of nights, a change, an alert, and other states of its deployment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel

from monitor.api.schema import (
    AlertItem,
    CategoryEffectItem,
    ChangeItem,
    ComparisonItem,
    DeploymentItem,
    FailureShiftItem,
    FindingItem,
    NotificationItem,
    ProductionSeriesItem,
    RunItem,
    SetDiagnosisItem,
    SetItem,
    StatusItem,
    VersionItem,
    WorstCaseItem,
)

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
class World:
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

    def status(self) -> StatusItem:
        return StatusItem(
            now=self.now,
            code_version="0.1.0",
            store_bytes=1,
            intake_rows=0,
            intake_capacity=1,
            dead_letters=0,
            loops={},
        )

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
        )
        return {name: getattr(self, name) for name in names}


def nights(count: int, *, dynamic: bool = True) -> World:
    """A quiet deployment: `count` nights of both sets under one version, every one found to be ok."""
    world = World(
        now=FIRST_NIGHT + timedelta(days=count - 1, hours=7, minutes=30),
        deployments=[deployment()],
        versions=[version(OLD, current=True)],
        sets=[eval_set("primes", "frozen", 800), eval_set("corrections", "dynamic", 120)],
    )
    for night in range(count):
        at = FIRST_NIGHT + timedelta(days=night)
        wobble = (night * 7) % 9 - 4
        world.runs.insert(0, run("primes", at, {"composite": (282 + wobble, 400), "prime": (389 - wobble // 2, 400)}))
        if dynamic:
            later = at + timedelta(minutes=6)
            world.runs.insert(0, run("corrections", later, {"composite": (20 + wobble, 80), "prime": (31, 40)}))
    by_set: dict[str, RunItem] = {}
    for item in reversed(world.runs):
        world.findings.insert(0, _quiet_finding(item, by_set.setdefault(item.set_name, item)))
    return world


def _quiet_finding(item: RunItem, baseline: RunItem) -> FindingItem:
    if baseline is item:
        reason = "there is no earlier complete run of this set to compare with"
        return finding(item, "insufficient", reason, None)
    compared = comparison(
        baseline.passed / baseline.scored, item.passed / item.scored, n=item.scored, to_fail=21, to_pass=20
    )
    return finding(item, "ok", "nothing moved", compared, baseline_run=baseline.id)


def regression() -> World:
    """Five quiet nights; on the sixth day the model changes unannounced, and the triggered replay finds it."""
    world = nights(5)
    world.now = NOW
    at = datetime(2026, 3, 6, 14, 3, tzinfo=UTC)
    world.changes = [change("change-1", at, OLD, NEW)]
    world.versions = [version(NEW, current=True), version(OLD)]
    world.deployments = [deployment(current=NEW, open_alerts=2)]
    _add_night_after(world, "primes", at + timedelta(minutes=6), {"composite": (392, 400), "prime": (10, 400)})
    _add_night_after(world, "corrections", at + timedelta(minutes=12), {"composite": (76, 80), "prime": (2, 40)})
    return world


def _add_night_after(world: World, name: str, at: datetime, categories: Mapping[str, tuple[int, int]]) -> None:
    before = next(row for row in world.runs if row.set_name == name)
    item = run(name, at, categories, NEW, trigger="change", change_id="change-1")
    compared = _loud_comparison(before, item)
    reason = (
        f"pass rate moved from {100 * compared.baseline:.1f} % to {100 * compared.candidate:.1f} % on {item.scored} "
        f"paired cases; {compared.flipped_to_fail} cases flipped to fail, {compared.flipped_to_pass} to pass"
    )
    loud = finding(item, "regression", reason, compared, baseline_run=before.id, change_id="change-1")
    world.runs.insert(0, item)
    world.findings.insert(0, loud)
    opened = alert(loud, reason)
    world.alerts.insert(0, opened)
    world.notifications.insert(0, notification(opened))


def _loud_comparison(before: RunItem, item: RunItem) -> ComparisonItem:
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


def no_runs() -> World:
    """Configured this minute: a deployment and its frozen set, nothing seen, nothing replayed."""
    return World(deployments=[deployment(current=None, interactions=0)], sets=[eval_set("primes", "frozen", 800)])


def outage() -> World:
    """Five quiet nights, then one in which two cases of five have no verdict."""
    world = nights(5, dynamic=False)
    at = FIRST_NIGHT + timedelta(days=5)
    half = run("primes", at, {"composite": (150, 240), "prime": (230, 240)}, cases=800)
    reason = "only 480 of 800 cases (60.0 %) have a verdict in this run, 90.0 % are needed: 240 are missing"
    world.runs.insert(0, half)
    world.findings.insert(0, finding(half, "insufficient", reason, None))
    world.now = at + timedelta(hours=6)
    return world


def many() -> World:
    """Four months of nights over ten categories, with three changes of version on the way."""
    count, names = 120, [f"category-{number:02d}" for number in range(10)]
    world = nights(1)
    world.runs, world.findings = [], []
    world.versions = [version(NEW, current=True), version(OLD)]
    world.deployments = [deployment(current=NEW)]
    world.now = FIRST_NIGHT + timedelta(days=count - 1, hours=5)
    for night in range(count):
        version_id = (OLD, NEW)[(night // 30) % 2]
        rates = {name: (22 + (night * (place + 3)) % 6 + place // 3, 34) for place, name in enumerate(names)}
        world.runs.insert(0, run("primes", FIRST_NIGHT + timedelta(days=night), rates, version_id))
    for night in (30, 60, 90):
        at = FIRST_NIGHT + timedelta(days=night, hours=-9)
        versions = (OLD, NEW) if night != 60 else (NEW, OLD)
        world.changes.insert(0, change(f"change-{night}", at, *versions))
    newest, before = world.runs[0], world.runs[29]
    compared = comparison(before.passed / before.scored, newest.passed / newest.scored, n=340, to_fail=30, to_pass=31)
    world.findings.insert(0, finding(newest, "ok", "nothing moved", compared, baseline_run=before.id))
    return world
