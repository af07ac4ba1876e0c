"""Cases that corrections propose for a dynamic set."""

from fastapi import APIRouter

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import CandidateItem, ListPage
from monitor.store import candidates

router = APIRouter(prefix="/api/v1/candidates", tags=["candidates"])


@router.get("", **needs(Role.READ))
def list_candidates(context: Context, query: ListQuery) -> ListPage[CandidateItem]:
    with context.store.read() as tx:
        return as_list(candidates.page(tx, query), encode.candidate)
