"""The state of all deployments in one answer."""

from typing import Annotated

from fastapi import APIRouter, Query

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Name, PageStartQuery, slice_at
from monitor.api.overview.encode import overview
from monitor.api.overview.facts import deployments, read_facts
from monitor.api.schema import ListPage
from monitor.api.schema.overview import OverviewItem
from monitor.errors import unknown

router = APIRouter(prefix="/api/v1/overview", tags=["deployments"])
Nights = Annotated[int, Query(ge=0, le=90, description="Newest nights of each set.")]


@router.get("", **needs(Role.READ))
def get_overview(
    context: Context, page_start: PageStartQuery, deployment: Name = None, nights: Nights = 30
) -> ListPage[OverviewItem]:
    """List the state of each deployment, the worst first: verdicts, alerts, the last change, corrections, replays and
    health.
    """
    with context.store.read() as tx:
        known = deployments(context, tx)
        if deployment is not None and deployment not in known:
            raise unknown("deployment", deployment, known)
        wanted = known if deployment is None else {deployment: known[deployment]}
        facts = read_facts(context, tx, wanted, nights)
    page = slice_at(overview(facts, context.policy), page_start)
    return ListPage(items=page.items, next_cursor=page.next_cursor)
