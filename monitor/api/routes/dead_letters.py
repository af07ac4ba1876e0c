"""Rejected records with the reasons."""

from fastapi import APIRouter

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import DeadLetterItem, ListPage
from monitor.store.traffic import dead_letters

router = APIRouter(prefix="/api/v1/dead_letters", tags=["dead_letters"])


@router.get("", **needs(Role.READ))
def list_dead_letters(context: Context, query: ListQuery) -> ListPage[DeadLetterItem]:
    """List dead letters. They belong to no deployment: with the filter `deployment` the list is empty."""
    with context.store.read() as tx:
        return as_list(dead_letters.page(tx, query), encode.dead_letter)
