"""The identity and the roles of the sender of a request."""

from fastapi import APIRouter

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.encode_daemon import daemon
from monitor.api.schema import CallerItem

router = APIRouter(prefix="/api/v1/whoami", tags=["status"])


@router.get("", **needs(Role.READ))
def get_sender(context: Context, sender: Sender) -> CallerItem:
    """Return the name of the sender in logs, its roles including implied ones, and the daemon that answers."""
    return CallerItem(
        name=sender.name,
        roles=sorted(sender.roles),
        kind=sender.kind.value,
        user=sender.user,
        expires_at=sender.expires_at,
        deployments=None if sender.deployments is None else sorted(sender.deployments),
        daemon=daemon(context),
    )
