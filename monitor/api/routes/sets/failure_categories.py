"""The failure categories, with their meaning and the number of corrections."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import ApiContext, Context
from monitor.api.listing import Name
from monitor.api.schema.categories import FailureCategoriesItem, FailureCategoryItem
from monitor.api.schema.failures import CorrectionDayItem, CorrectionDaysItem
from monitor.domain.failure_category import TAXONOMY, FailureCategory, parents_of
from monitor.domain.failure_group import GroupState
from monitor.errors import unknown
from monitor.feedback.categories.taxonomy import GUIDE
from monitor.store.engine.database import Tx
from monitor.store.runs import failure_shares
from monitor.store.sets import failure_groups

router = APIRouter(prefix="/api/v1/failure-categories", tags=["candidates"])
Deployment = Annotated[str, Query(min_length=1, max_length=200)]
Days = Annotated[int, Query(ge=1, le=365, description="Length of the period in days.")]


@router.get("", **needs(Role.READ))
def list_failure_categories(context: Context, deployment: Name = None, days: Days = 30) -> FailureCategoriesItem:
    """List the taxonomy and the sub-categories of the deployments, with the corrections of the last days."""
    since = context.clock.now() - timedelta(days=days)
    with context.store.read() as tx:
        counts = failure_groups.counts(tx, deployment, since)
        names = _names(context, tx, deployment)
    items = [_item(name, parent, of, counts.get(name, 0)) for name, parent, of in names]
    return FailureCategoriesItem(taxonomy=TAXONOMY, since=since, items=items)


@router.get("/days", **needs(Role.READ))
def list_correction_days(context: Context, deployment: Deployment, days: Days = 30) -> CorrectionDaysItem:
    """Return the corrections of the last days by UTC day and failure category."""
    if deployment not in context.policy.deployments:
        raise unknown("deployment", deployment, context.policy.deployments)
    since = context.clock.now() - timedelta(days=days)
    with context.store.read() as tx:
        found = failure_shares.of_corrections(tx, deployment, since)
    items = [CorrectionDayItem.model_validate(each, from_attributes=True) for each in found]
    return CorrectionDaysItem(deployment=deployment, taxonomy=TAXONOMY, since=since, days=items)


def _names(context: ApiContext, tx: Tx, wanted: str | None) -> list[tuple[str, FailureCategory, str | None]]:
    """Return each category, its parent and its deployment, None for the taxonomy itself."""
    found: list[tuple[str, FailureCategory, str | None]] = [(each.value, each, None) for each in FailureCategory]
    accepted = failure_groups.listed(tx, wanted, GroupState.ACCEPTED)
    for policy in context.policy.deployments.values():
        if wanted in (None, policy.name):
            entries = [*policy.failure_categories, *(one.entry for one in accepted if one.deployment == policy.name)]
            found += [(name, parent, policy.name) for name, parent in parents_of(entries).items()]
    return found


def _item(name: str, parent: FailureCategory, deployment: str | None, corrections: int) -> FailureCategoryItem:
    guide = GUIDE[parent]
    return FailureCategoryItem(
        name=name,
        parent=parent.value,
        deployment=deployment,
        meaning=guide.meaning,
        on_call=guide.on_call,
        near=list(guide.near),
        corrections=corrections,
    )
