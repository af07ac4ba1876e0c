"""Notifications of alerts with their delivery status."""

from fastapi import APIRouter

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import ListQuery, as_list
from monitor.api.schema import ListPage, NotificationItem
from monitor.store.findings import alerts

router = APIRouter(prefix="/api/v1/notifications", tags=["notifications"])


@router.get("", **needs(Role.READ))
def list_notifications(context: Context, query: ListQuery) -> ListPage[NotificationItem]:
    with context.store.read() as tx:
        return as_list(alerts.page_notifications(tx, query), encode.notification)
