"""The daemon process as an item of the API schema."""

import os

from monitor.api.context import ApiContext
from monitor.api.schema import DaemonItem


def daemon(context: ApiContext) -> DaemonItem:
    """Return the database and the configuration file of this process."""
    return DaemonItem(
        pid=os.getpid(),
        database=str(context.store.path.resolve()),
        config_path=None if context.config_path is None else str(context.config_path),
        config_sha256=context.config_sha256,
    )
