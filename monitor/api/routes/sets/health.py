"""The health of a set, computed from its runs, its access log and production traffic."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api import encode_health
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import ApiContext, Context
from monitor.api.listing import Name
from monitor.api.routes.sets.cases import SetName
from monitor.api.routes.sets.content import open_cases
from monitor.api.schema import SetHealthItem
from monitor.domain.evalset import Revision, SetKind
from monitor.errors import unknown
from monitor.health.exposure import Exposure, exposure_of
from monitor.health.overfitting import Corrected, Overfitting, overfitting_of
from monitor.health.redundancy import redundancy_of
from monitor.health.report import SetHealth
from monitor.health.saturation import label_noise_of, saturation_of, unsteady_cases
from monitor.health.staleness import staleness_of
from monitor.store.engine.database import Tx
from monitor.store.sets import access_log as access
from monitor.store.sets import revisions as evalsets
from monitor.store.sets import set_health
from monitor.store.sets.set_health import RunScores

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])
MOST_CALLS = 2_000  # of production: enough to estimate a share within two points
Days = Annotated[float, Query(gt=0, le=36_500, description="Days of production traffic to analyze.")]


@router.get("/health", **needs(Role.READ))
def get_health(context: Context, set_name: SetName, deployment: Name = None, days: Days = 30.0) -> SetHealthItem:
    """Return saturation, label noise, staleness, redundancy, exposure and overfitting of the current revision."""
    users = _users(context, set_name, deployment)
    now = context.clock.now()
    with context.store.read() as tx:
        revision = evalsets.find(tx, set_name, None)
        cases = open_cases(context, tx, revision)
        runs = set_health.run_scores(tx, set_name, revision.revision, len(cases), users)
        calls = set_health.production_inputs(tx, users, now - timedelta(days=days), MOST_CALLS)
        exposure = _exposure(context, tx, revision)
        overfitting = _overfitting(tx, runs, users) if revision.kind is SetKind.FROZEN else None
    ids, texts = [case.id for case in cases], {case.id: case.question for case in cases}
    means, passes, counts = runs.by_version()
    health = SetHealth(
        saturation=saturation_of(ids, means),
        label_noise=label_noise_of(ids, means, unsteady_cases(passes, counts)),
        staleness=staleness_of(
            list(texts.values()),
            [call.text for call in calls],
            [case.category for case in cases],
            [call.category for call in calls],
        ),
        redundancy=redundancy_of(texts),
        exposure=exposure,
        overfitting=overfitting,
    )
    return encode_health.health(revision, health, runs=len(runs.versions), deployments=users)


def _users(context: ApiContext, set_name: str, deployment: str | None) -> list[str]:
    """Return the deployments that replay the set, or only the requested one."""
    users = [name for name, policy in context.policy.deployments.items() if set_name in policy.sets]
    if deployment is None:
        return users
    if deployment not in users:
        raise unknown(f"eval set {set_name!r}: deployment", deployment, users)
    return [deployment]


def _exposure(context: ApiContext, tx: Tx, revision: Revision) -> Exposure | None:
    if not revision.sealed:
        return None
    policy = context.policy.sets.get(revision.name)
    found = access.exposures(tx, revision.name, revision.revision, context.clock.now())
    return exposure_of(found, policy.exposure_budget if policy else None, access.RECENT.days)


def _overfitting(tx: Tx, runs: RunScores, users: Sequence[str]) -> Overfitting:
    """Compare production during the first third of the runs with production during the last third."""
    third, at = len(runs.finished_at) // 3, runs.finished_at
    if not third:
        return overfitting_of(runs.scores, Corrected(calls=0, corrected=0), Corrected(calls=0, corrected=0))
    spans = ((at[0], at[third]), (at[-third - 1], at[-1]))
    first, last = (Corrected(calls=c, corrected=k) for c, k in (set_health.corrected(tx, users, *s) for s in spans))
    return overfitting_of(runs.scores, first, last)
