"""Alerts: list and read."""

from fastapi import APIRouter

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery
from monitor.api.lookup import Identifier, labels_of, missing
from monitor.api.schema import AlertItem, ListPage
from monitor.store.findings import alerts

router = APIRouter(prefix="/api/v1/alerts", tags=["alerts"])


@router.get("", **needs(Role.READ))
def list_alerts(context: Context, query: ListQuery) -> ListPage[AlertItem]:
    with context.store.read() as tx:
        page = alerts.page(tx, query)
        labels = labels_of(tx, (alert.deployment for alert in page.items))
    return ListPage(items=[encode.alert(alert, labels) for alert in page.items], next_cursor=page.next_cursor)


@router.get("/{id}", **needs(Role.READ))
def get_alert(context: Context, id: Identifier) -> AlertItem:  # noqa: A002 - the path uses id
    with context.store.read() as tx:
        found = alerts.get(tx, id)
        if found is None:
            raise missing("alert", id, "alerts")
        return encode.alert(found, labels_of(tx, [found.deployment]))
