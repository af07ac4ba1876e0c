"""Makes the ordered backup, and removes the copy of one that no one reads."""

from monitor.store.backup.backups import Backups


class BackupLoop:
    """Makes ordered backups, one at a time."""

    name = "backup"
    poll_s = 60.0

    def __init__(self, backups: Backups) -> None:
        self._backups = backups

    def step(self) -> int:
        return self._backups.run_ordered()
