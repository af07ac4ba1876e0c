"""The monitored series of production traffic with their days and verdicts."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.encode_series import production_series
from monitor.api.schema import ListPage, ProductionSeriesItem
from monitor.domain.policy import DeploymentPolicy
from monitor.domain.production import Series
from monitor.drift.production.evaluate import SeriesTest, evaluate_series, oldest_day
from monitor.drift.production.finding import open_onset
from monitor.drift.production.wording import detector_text, rate_window
from monitor.errors import unknown
from monitor.store.engine.database import Tx
from monitor.store.traffic import daily_counts as production
from monitor.store.turns import rates

router = APIRouter(prefix="/api/v1/production", tags=["production"])
Name = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("", **needs(Role.READ))
def list_series(context: Context, deployment: Name) -> ListPage[ProductionSeriesItem]:
    """List the series, computed from stored calls up to the last complete day. `reports` has the input drift."""
    policy = context.policy.deployments.get(deployment)
    if policy is None:
        raise unknown("deployment", deployment, context.policy.deployments)
    with context.store.read() as tx:
        items = _items(tx, policy, context.clock.now().date())
    return ListPage(items=items, next_cursor=None)


def _items(tx: Tx, deployment: DeploymentPolicy, today: date) -> list[ProductionSeriesItem]:
    name, policy = deployment.name, deployment.production
    days = production.days(tx, name, oldest_day(today, policy), today, policy)
    items = []
    for series, known in production.known(
        tx, name, [one for one in policy.series if one is not Series.TRAFFIC]
    ).items():
        test = evaluate_series(
            series,
            days,
            deployment=name,
            today=today,
            policy=policy,
            accepted=known.accepted,
            open_onset=open_onset(known.opening),
        )
        detector = _detector(tx, name, test) if series is Series.IMPLICIT_CORRECTIONS and test.points.days else None
        items.append(production_series(test, name, series, policy, detector))
    return items


def _detector(tx: Tx, deployment: str, test: SeriesTest) -> str:
    """Return the rate of corrected answers, corrected for the errors of the detector, in words."""
    first, after = rate_window(test.day, test.verdict.onset)
    rate, reviews = rates.adjusted(tx, deployment, since=production.midnight(first), until=production.midnight(after))
    return detector_text(rate, reviews, first)
