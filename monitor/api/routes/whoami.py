"""Who the sender of a request is to the API: what a screen needs to know before it offers something."""

from fastapi import APIRouter

from monitor.api.access import Sender, needs
from monitor.api.auth import Role
from monitor.api.schema import SenderItem

router = APIRouter(prefix="/api/v1/whoami", tags=["status"])


@router.get("", **needs(Role.READ))
def get_sender(sender: Sender) -> SenderItem:
    """The name of the token, as it stands in the log of reveals, and its roles with those they imply."""
    return SenderItem(name=sender.name, roles=sorted(sender.roles))
