"""The changes of each refresh of a dynamic set, with reasons."""

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.routes.sets.cases import SetName
from monitor.api.schema import ListPage, RefreshItem
from monitor.domain.evalset import Refresh
from monitor.store.sets import refreshes
from monitor.store.sets import revisions as evalsets

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])


@router.get("/refreshes", **needs(Role.READ))
def list_refreshes(context: Context, query: ListQuery, set_name: SetName) -> ListPage[RefreshItem]:
    """List the refreshes that changed the set, newest first."""
    with context.store.read() as tx:
        evalsets.find(tx, set_name, None)
        return as_list(refreshes.page(tx, set_name, query), _item)


def _item(row: Refresh) -> RefreshItem:
    return RefreshItem.model_validate(row, from_attributes=True)
