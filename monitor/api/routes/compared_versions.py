"""Comparison of two versions over all their comparable runs."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.lookup import MetricName, drift_of, sets_of
from monitor.api.problems import Unprocessable
from monitor.api.schema import version_comparisons as wire
from monitor.domain.run import Run
from monitor.domain.version import Version
from monitor.drift.judge.pooled_conditions import PooledRuns, pooled_runs, why_not
from monitor.drift.judge.pooled_versions import PooledEffect, pooled_change
from monitor.errors import Conflict, NotFound, unknown
from monitor.store.engine.database import Tx
from monitor.store.runs import nights, runs
from monitor.store.sets import revisions
from monitor.store.traffic import versions

router = APIRouter(prefix="/api/v1/comparisons", tags=["comparisons"])
MOST_RUNS = 60  # of each version, unless the request asks for more
Name = Annotated[str, Query(min_length=1, max_length=200)]
VersionName = Annotated[str, Query(min_length=1, max_length=200, description="Id of a version, or its label.")]
Runs = Annotated[int, Query(ge=1, le=400, description="The newest complete runs of each version that are considered.")]


@router.get("/versions", **needs(Role.READ))
def compare_versions(
    *,
    context: Context,
    deployment: Name,
    set_name: Name,
    baseline: VersionName,
    candidate: VersionName,
    metric: MetricName = None,
    runs: Runs = MOST_RUNS,
) -> wire.VersionComparisonItem:
    """Compare two versions on a set over all their runs under the same conditions: revision of the set, scorers, judge,
    rubric, rule of the verdict, and parameters of the version. Runs under other conditions are listed and not pooled.
    Nothing is stored.
    """
    with context.store.read() as tx:
        sets = sets_of(tx, context.policy, deployment)
        if set_name not in sets:
            raise unknown(f"deployment {deployment!r}: set", set_name, sets)
        before, after = (_version(tx, deployment, name) for name in (baseline, candidate))
        if before.id == after.id:
            raise Unprocessable(f"baseline and candidate are the same version, {before.label!r}")
        then, now = (_runs_of(tx, set_name, version, runs) for version in (before, after))
        scorers = nights.scorers_of(tx, [run.id for run in (*then, *now)], metric)
        pooled = pooled_runs(then, now, scorers)
        if pooled is None:
            raise Conflict(
                f"versions {before.label!r} and {after.label!r} have no runs under the same conditions to pool: "
                f"{why_not(then, now, scorers)}"
            )
        rows = nights.of_runs(tx, deployment, set_name, [*pooled.before, *pooled.after], metric=metric)
        clusters = revisions.clusters(tx, set_name, pooled.after[-1].revision)
    sides = [{run.id for run in side} for side in (pooled.before, pooled.after)]
    change = pooled_change(rows, sides[0], sides[1], clusters)
    if change is None:
        by = "" if metric is None else f" with metric {metric!r}"
        raise Unprocessable(f"versions {before.label!r} and {after.label!r} have no common scored case{by}")
    alpha = drift_of(context.policy, deployment).alpha_change
    overall = change.overall
    return wire.VersionComparisonItem(
        deployment=deployment,
        set_name=set_name,
        metric=metric or "verdict",
        baseline=_side(before, pooled.before, overall.before),
        candidate=_side(after, pooled.after, overall.after),
        conditions=dict(pooled.conditions),
        n=overall.change.n,
        clusters=overall.change.clusters,
        effect=overall.change.mean,
        ci_low=overall.change.low,
        ci_high=overall.change.high,
        p_value=overall.change.p_value,
        p_value_adjusted=overall.p_adjusted,
        mde=overall.change.detectable,
        categories=[_category(name, effect, alpha) for name, effect in change.categories.items()],
        left_out=_left_out(pooled),
        notes=[f"the versions have different parameters: {', '.join(pooled.changed)}"] if pooled.changed else [],
    )


def _version(tx: Tx, deployment: str, name: str) -> Version:
    """Return the version with this id, else the one with this label. Raises NotFound, or Conflict for a label of
    several versions.
    """
    known = versions.versions(tx, deployment)
    found = [row for row in known if row.id == name] or [row for row in known if row.label == name]
    if not found:
        raise NotFound(
            f"deployment {deployment!r} has no version {name!r}; GET /api/v1/changes lists the changes of version"
        )
    if len(found) > 1:
        ids = ", ".join(row.id for row in found)
        raise Conflict(f"deployment {deployment!r} has {len(found)} versions with the label {name!r}: {ids}")
    return found[0]


def _runs_of(tx: Tx, set_name: str, version: Version, most: int) -> Sequence[Run]:
    """Return the newest complete runs of the version, the oldest first. Raises Conflict without one."""
    found = [run for run in runs.of_set(tx, version.deployment, set_name) if run.version == version.id][-most:]
    if not found:
        raise Conflict(f"version {version.label!r} has no complete run of {set_name!r}; replay the set first")
    return found


def _side(version: Version, pooled: Sequence[Run], rate: float) -> wire.PooledVersionItem:
    times = [run.finished_at or run.planned_at for run in pooled]
    return wire.PooledVersionItem(
        version=version.id,
        label=version.label,
        runs=[run.id for run in pooled],
        nights=len({at.date() for at in times}),
        first_at=times[0],
        last_at=times[-1],
        rate=rate,
    )


def _category(name: str, effect: PooledEffect, alpha: float) -> wire.PooledCategoryItem:
    return wire.PooledCategoryItem(
        category=name,
        n=effect.change.n,
        baseline=effect.before,
        candidate=effect.after,
        effect=effect.change.mean,
        ci_low=effect.change.low,
        ci_high=effect.change.high,
        p_value_adjusted=effect.p_adjusted,
        moved=effect.p_adjusted is not None and effect.p_adjusted < alpha,
    )


def _left_out(pooled: PooledRuns) -> list[wire.LeftOutRunItem]:
    return [
        wire.LeftOutRunItem(run_id=one.run.id, version=one.run.version or "", reason=one.reason)
        for one in pooled.left_out
    ]
