"""The rate of corrected answers, from explicit corrections and from turns of users."""

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from monitor.api import encode_turn as encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Instant
from monitor.api.problems import InvalidRequest
from monitor.api.schema import CorrectionRates
from monitor.errors import unknown
from monitor.store.aggregates.settled_days import midnight
from monitor.store.traffic import versions
from monitor.store.turns import progress, rates
from monitor.store.turns.rates import GroupBy

router = APIRouter(prefix="/api/v1/corrections", tags=["corrections"])
Name = Annotated[str, Query(min_length=1, max_length=200)]
By = Annotated[
    Literal["all", "day", "version", "route", "category"], Query(description="What the rates are grouped by.")
]
DAYS = timedelta(days=28)  # of the window, unless the request has one


@router.get("/rate", **needs(Role.READ))
def get_rates(
    context: Context, deployment: Name, by: By = "all", since: Instant = None, until: Instant = None
) -> CorrectionRates:
    """Return the share of answered calls that users corrected, by group, for 28 days and today, or the given window.

    The interval is corrected for the precision and the recall of the detector when enough turns are reviewed.
    """
    if deployment not in context.policy.deployments:
        raise unknown("deployment", deployment, context.policy.deployments)
    now, group_by = context.clock.now(), GroupBy(by)
    end = until or now
    begin = since or midnight((end - DAYS).date())
    if begin >= end:
        raise InvalidRequest("query.since, query.until: since must be before until")
    with context.store.read() as tx:
        known, made = progress.get(tx, deployment), rates.review_counts(tx, deployment)
        groups = rates.groups(tx, deployment, group_by, since=begin, until=end, now=now)
        labels = {version.id: version.label for version in versions.versions(tx, deployment)}
    return CorrectionRates(
        deployment=deployment,
        by=by,
        since=begin,
        until=end,
        version=known.version if known else None,
        judged_since=known.since if known else None,
        judged_until=known.until if known else None,
        items=[encode.correction_rate(group, made, group_by, labels) for group in groups],
    )
