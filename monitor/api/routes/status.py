"""What the daemon says of itself."""

from datetime import timedelta

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import StatusItem
from monitor.store import dead_letters, interactions
from monitor.store.size import bytes_on_disk

router = APIRouter(prefix="/api/v1/status", tags=["status"])
RECENT = timedelta(days=1)


@router.get("", **needs(Role.READ))
def get_status(context: Context) -> StatusItem:
    with context.store.read() as tx:
        letters = dead_letters.count(tx)
        unwatched = interactions.unwatched(tx, list(context.policy.deployments), context.clock.now() - RECENT)
    return StatusItem(
        now=context.clock.now(),
        code_version=context.code_version,
        store_bytes=bytes_on_disk(context.store.path),
        intake_rows=context.intake.rows,
        intake_capacity=context.intake.capacity,
        dead_letters=letters,
        unwatched=unwatched,
        loops=dict(context.loop_states()),
    )
