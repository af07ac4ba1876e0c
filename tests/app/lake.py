"""A lake for each daemon of a test: `STORE=lake` starts one PostgreSQL server for all tests of the process."""

import atexit
import os
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.store.lake.lakes import Lakes, running_lakes

ON_LAKE = os.environ.get("STORE") == "lake"
OF_FILES = {"DiskNearlyFull", "IngestPaused"}  # rules about the disk of a file
_databases: dict[Path, str] = {}  # the lake of each folder


def of_a_file(reason: str) -> pytest.MarkDecorator:
    """Return the mark of a test that a lake has no counterpart of."""
    return pytest.mark.skipif(ON_LAKE, reason=reason)


def new_lake(folder: Path) -> dict[str, Any]:
    """Return the section `store` of a new, empty lake. `folder` has the files of the process."""
    _databases[folder] = lakes().create()
    return lakes().section(_databases[folder]) | {"work_folder": str(folder)}


def database_of(folder: Path) -> str:
    """Return the newest lake of a folder."""
    return _databases[folder]


@cache
def lakes() -> Lakes:
    """Return the lakes of this process."""
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(running_lakes())
