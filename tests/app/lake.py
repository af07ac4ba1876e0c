"""A lake for each daemon of a test: `STORE=lake` starts one PostgreSQL server for all tests of the process."""

import atexit
import os
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from tests.store.lake.lakes import Lakes, running_lakes

ON_LAKE = os.environ.get("STORE") == "lake"


def new_lake(folder: Path) -> dict[str, Any]:
    """Return the section `store` of a new, empty lake. `folder` has the files of the process."""
    lakes = _lakes()
    return lakes.section(lakes.create()) | {"work_folder": str(folder)}


@cache
def _lakes() -> Lakes:
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(running_lakes())
