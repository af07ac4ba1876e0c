"""The daemon process and its disk as items of the API schema."""

import os

from monitor.api.context import ApiContext
from monitor.api.schema import DaemonItem, DiskItem


def daemon(context: ApiContext) -> DaemonItem:
    """Return the database and the configuration file of this process."""
    return DaemonItem(
        pid=os.getpid(),
        database=context.store.name,
        config_path=None if context.config_path is None else str(context.config_path),
        config_sha256=context.config_sha256,
    )


def disk_of(context: ApiContext) -> DiskItem | None:
    """Return the free space of the disk of the database, and its reserve; None for a lake."""
    space = context.store.disk.space
    if space is None:
        return None
    return DiskItem(free_bytes=space.free, total_bytes=space.total, reserve_bytes=space.reserve, paused=space.reached)
