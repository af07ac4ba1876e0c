"""Logged calls: write in batches, list newest first."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.batch import RECORDS_BODY, Kind, write_batch
from monitor.api.body import Write
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import BatchResult, InteractionItem, ListPage
from monitor.store.traffic import interactions

router = APIRouter(prefix="/api/v1/interactions", tags=["interactions"])


@router.post("", response_model=BatchResult, **needs(Role.INGEST, **RECORDS_BODY))
async def add_interactions(context: Context, write: Write) -> Response:
    """Store one interaction or an array of them; the response follows the commit."""
    return await write_batch(context, write, Kind.INTERACTION)


@router.get("", **needs(Role.READ))
def list_interactions(context: Context, query: ListQuery) -> ListPage[InteractionItem]:
    with context.store.read() as tx:
        return as_list(interactions.page(tx, query), encode.interaction)
