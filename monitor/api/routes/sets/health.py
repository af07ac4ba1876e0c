"""The health of a set, read from its newest measurement, or measured at once if that is not current."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
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
from monitor.api.schema.set_health import HealthDayItem, HealthDaysItem, SetResultItem, SetStatesItem
from monitor.domain.evalset import Revision
from monitor.errors import unknown
from monitor.refresh import set_health
from monitor.refresh.set_health import TRAFFIC_DAYS, Measured
from monitor.store.engine.database import Tx
from monitor.store.overview import nights as stored_nights
from monitor.store.sets import revisions as evalsets
from monitor.store.sets import stored_health

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])
Days = Annotated[float, Query(gt=0, le=36_500, description="Days of production traffic to analyze.")]
STATES = ("concerns", "unknown", "ok")  # the worst first
Listed = Annotated[int, Query(ge=1, le=3_650, description="Length of the period in days.")]


@router.get("/health", **needs(Role.READ))
def get_health(
    context: Context, set_name: SetName, deployment: Name = None, days: Days = TRAFFIC_DAYS
) -> SetHealthItem:
    """Return saturation, label noise, staleness, redundancy, exposure and overfitting of the current revision.

    Production traffic is that of the days before `computed_at`.
    """
    users = _users(context, set_name, deployment)
    now = context.clock.now()
    with context.store.read() as tx:
        revision = evalsets.find(tx, set_name, None)
        found = _stored(context, tx, revision, users, now) if days == TRAFFIC_DAYS else None
        if found is None:
            cases = open_cases(context, tx, revision)
            found = set_health.measure(tx, revision, cases, users, now, days=days)
        exposure = set_health.exposure(tx, revision, context.policy, now)
        ages = stored_health.case_ages(tx, revision.name, revision.revision, now)
    measured = replace(found, health=replace(found.health, exposure=exposure))
    return encode_health.health(revision, measured, ages, deployments=users)


@router.get("/health/all", **needs(Role.READ))
def list_set_states(context: Context) -> SetStatesItem:
    """Return the newest measurement of every configured set with cases and its newest results: those with most concerns
    first.

    A set that no loop has measured yet has the state `unknown`.
    """
    with context.store.read() as tx:
        current = {name: evalsets.current(tx, name) for name in context.policy.sets}
        stored = {(one.set_name, one.deployments): one for one in stored_health.newest_of_sets(tx)}
        nights = stored_nights.newest(tx, list(context.policy.deployments), 1, context.clock.now())
        counts = stored_nights.pass_counts(tx, [night.run_id for night in nights])
    results: dict[str, list[SetResultItem]] = {}
    for night in nights:
        results.setdefault(night.set_name, []).append(
            encode_health.result(night, counts.get(night.run_id, stored_nights.PassCount()))
        )
    found = []
    for name, revision in current.items():
        if revision is not None:
            users = tuple(set_health.users_of(context.policy, name))
            measures = context.policy.sets[name].measures
            newest = stored.get((name, users))
            found.append(encode_health.state(revision, newest, users, measures, results.get(name, ())))
    found.sort(key=lambda one: (STATES.index(one.state), -len(one.concerns), one.set_name))
    return SetStatesItem(items=found)


@router.get("/health/days", **needs(Role.READ))
def list_health_days(context: Context, set_name: SetName, deployment: Name = None, days: Listed = 90) -> HealthDaysItem:
    """Return the health of the set at the end of each UTC day, the oldest first. The current day is the last."""
    users = _users(context, set_name, deployment)
    since = (context.clock.now().astimezone(UTC) - timedelta(days=days - 1)).date()
    with context.store.read() as tx:
        evalsets.find(tx, set_name, None)
        found = stored_health.days(tx, set_name, users, since)
    items = [HealthDayItem.model_validate(one, from_attributes=True) for one in found]
    return HealthDaysItem(set_name=set_name, deployments=users, since=since, days=items)


def _stored(context: ApiContext, tx: Tx, revision: Revision, users: Sequence[str], now: datetime) -> Measured | None:
    """Return the stored measurement; None if one of its inputs changed."""
    stored = stored_health.newest(tx, revision.name, users)
    if stored is None:
        return None
    inputs = set_health.inputs_of(tx, revision, users, context.code_version, now)
    if inputs is None or not set_health.is_current(stored, inputs, now):
        return None
    health = set_health.from_stored(stored.document)
    return Measured(health=health, runs=stored.runs, computed_at=stored.computed_at)


def _users(context: ApiContext, set_name: str, deployment: str | None) -> list[str]:
    """Return the deployments that replay the set, or only the requested one."""
    users = set_health.users_of(context.policy, set_name)
    if deployment is None:
        return users
    if deployment not in users:
        raise unknown(f"eval set {set_name!r}: deployment", deployment, users)
    return [deployment]
