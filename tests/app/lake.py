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


def of_a_file(reason: str) -> pytest.MarkDecorator:
    """Return the mark of a test that a lake has no counterpart of."""
    return pytest.mark.skipif(ON_LAKE, reason=reason)


def new_lake(folder: Path) -> dict[str, Any]:
    """Return the section `store` of a new, empty lake. `folder` has the files of the process."""
    lakes = _lakes()
    return lakes.section(lakes.create()) | {"work_folder": str(folder)}


@cache
def _lakes() -> Lakes:
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(running_lakes())
