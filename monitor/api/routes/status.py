"""What the daemon says of itself."""

from pathlib import Path

from fastapi import APIRouter

from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.schema import StatusItem
from monitor.store import dead_letters

router = APIRouter(prefix="/api/v1/status", tags=["status"])


@router.get("", **needs(Role.READ))
def get_status(context: Context) -> StatusItem:
    with context.store.read() as tx:
        letters = dead_letters.count(tx)
    return StatusItem(
        now=context.clock.now(),
        code_version=context.code_version,
        store_bytes=_bytes_on_disk(context.store.path),
        intake_rows=context.intake.rows,
        intake_capacity=context.intake.capacity,
        dead_letters=letters,
        loops=dict(context.loop_states()),
    )


def _bytes_on_disk(path: Path) -> int:
    """The database file and its write-ahead log."""
    files = (path, path.with_name(path.name + ".wal"))
    return sum(file.stat().st_size for file in files if file.exists())
