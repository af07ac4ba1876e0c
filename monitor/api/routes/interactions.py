"""Logged calls: write in batches, search newest first, and read one with its messages and feedback."""

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.batch import RECORDS_BODY, Kind, write_batch
from monitor.api.body import Write
from monitor.api.context import Context
from monitor.api.encode_interaction import detail
from monitor.api.interaction_query import FilterQuery
from monitor.api.listing import Instant, ListQuery
from monitor.api.lookup import Identifier
from monitor.api.schema import BatchResult
from monitor.api.schema.interactions import InteractionDetail, InteractionPage
from monitor.errors import NotFound
from monitor.store.traffic import one_interaction, versions
from monitor.store.traffic.interaction_search import search

router = APIRouter(prefix="/api/v1/interactions", tags=["interactions"])


@router.post("", response_model=BatchResult, **needs(Role.INGEST, **RECORDS_BODY))
async def add_interactions(context: Context, write: Write) -> Response:
    """Store one interaction or an array of them; the response follows the commit."""
    return await write_batch(context, write, Kind.INTERACTION)


@router.get("", **needs(Role.READ))
def list_interactions(context: Context, query: ListQuery, wanted: FilterQuery) -> InteractionPage:
    """List the interactions that match every filter. A search of rare words returns after its time limit, with the time
    that it reached and a cursor that continues.
    """
    with context.store.read() as tx:
        found = search(tx, query, wanted, context.clock.monotonic)
    return InteractionPage(
        items=[encode.interaction(row) for row in found.items],
        next_cursor=found.next_cursor,
        searched_to=found.searched_to,
    )


@router.get("/{id}", **needs(Role.READ))
def get_interaction(context: Context, id: Identifier, at: Instant = None) -> InteractionDetail:  # noqa: A002 - the path
    """Return one interaction: its messages, its feedback, and the calls of its trace and conversation.

    `at`, its start time, makes the search of a large store fast.
    """
    with context.store.read() as tx:
        row = one_interaction.find(tx, id, at)
        if row is None:
            raise NotFound(f"interaction {id!r} is unknown; retention or an erasure may have removed it")
        version = versions.get(tx, row.deployment, row.identity) if row.identity else None
        return detail(
            row,
            version.label if version else None,
            one_interaction.feedback_on(tx, id),
            one_interaction.proposed_cases(tx, id),
            one_interaction.related_calls(tx, row),
        )
