"""Reads a copy of the database file, so that the file itself stays as the killed process left it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from monitor.app import build
from monitor.clock import SystemClock
from monitor.config.load import load
from tests.kills.process import Daemon

SETTLE_S = 120.0


@contextmanager
def rows_of(file: Path) -> Iterator["Rows"]:
    """Return the rows of the file with its log, as a start would read them."""
    with tempfile.TemporaryDirectory() as folder:
        for part in file.parent.glob(file.name + "*"):
            shutil.copy(part, folder)
        with duckdb.connect(Path(folder) / file.name) as connection:
            yield Rows(connection)


class Rows:
    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, list(values)).fetchall()

    def number(self, sql: str, *values: Any) -> int:
        return int(self.all(sql, *values)[0][0])

    def counts(self, table: str, column: str = "id") -> dict[str, int]:
        """Return how often each value occurs in the table."""
        return dict(self.all(f'SELECT "{column}", count(*) FROM "{table}" GROUP BY ALL'))


def settle(daemon: Daemon) -> None:
    """Run the loops without a daemon until they have no work. No model is called."""
    app = build(load(daemon.config, {}), clock=SystemClock())
    try:
        app.start_local(replays=False)
        app.settle(SETTLE_S)
    finally:
        app.stop()
