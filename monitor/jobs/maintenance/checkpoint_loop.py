"""Checkpoints the file while no write is in progress."""

from monitor.store.engine.file_store import FileStore


class CheckpointLoop:
    """Checkpoints when idle, so that a start after a kill has little to replay. A checkpoint never counts as work."""

    name = "housekeeping"
    poll_s = 30.0

    def __init__(self, *, store: FileStore) -> None:
        self._store = store

    def step(self) -> int:
        self._store.checkpoint_when_idle()
        return 0
