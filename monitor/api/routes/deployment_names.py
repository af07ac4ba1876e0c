"""The deployments and their sets, without their state."""

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import PageStartQuery, as_list, slice_at
from monitor.api.lookup import deployments_of, sets_of
from monitor.api.schema import ListPage
from monitor.api.schema.changes import DeploymentNameItem

router = APIRouter(prefix="/api/v1/deployment-names", tags=["deployments"])


@router.get("", **needs(Role.READ))
def list_deployment_names(context: Context, page_start: PageStartQuery) -> ListPage[DeploymentNameItem]:
    """List the deployments by name, with their sets and without their state: nothing is counted."""
    with context.store.read() as tx:
        page = slice_at(deployments_of(tx, context.policy), page_start)
        return as_list(page, lambda name: DeploymentNameItem(name=name, sets=list(sets_of(tx, context.policy, name))))
