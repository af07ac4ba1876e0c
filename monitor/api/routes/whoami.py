"""Who the sender of a request is to the API: what a screen needs to know before it offers something."""

from fastapi import APIRouter

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.encode_daemon import daemon
from monitor.api.schema import CallerItem

router = APIRouter(prefix="/api/v1/whoami", tags=["status"])


@router.get("", **needs(Role.READ))
def get_sender(context: Context, sender: Sender) -> CallerItem:
    """The sender's name as the logs record it, its roles with those they imply, and the daemon that answers."""
    return CallerItem(name=sender.name, roles=sorted(sender.roles), daemon=daemon(context))
