"""Refuses a start while the restore of the database is incomplete."""

from pathlib import Path
from typing import Final

from monitor.errors import ConfigError

RESTORING: Final = ".restoring"  # the end of the names of files until the restore is complete


def refuse_unfinished_restore(path: Path) -> None:
    """Raise ConfigError when a restore of the database at `path` was interrupted: a start would create an empty one."""
    if path.with_name(path.name + RESTORING).exists():
        raise ConfigError(
            f"store.path: the restore of {path} is not complete; run the same `driftd db restore` again, "
            f"or remove {path.name}{RESTORING}"
        )
