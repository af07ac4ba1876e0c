"""A database file with rows in both kinds of tables, and its import."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.lake.imports.compare import ComparedTable, compare_file
from monitor.store.lake.imports.copy import Imported, import_file
from monitor.store.runs import runs
from monitor.store.traffic import interactions, source_positions
from tests.store.build import interaction, run
from tests.store.lake.lakes import Lakes
from tests.store.traffic.test_source_positions import moved

CALLS = 250


@contextmanager
def opened(path: Path, clock: Clock) -> Iterator[FileStore]:
    store = Store.open(path, clock=clock)
    try:
        yield store
    finally:
        store.close()


def filled(path: Path, clock: Clock, calls: int = CALLS) -> Path:
    """Write a file with calls, two runs and the position of a source."""
    with opened(path, clock) as store:
        with store.write() as tx:
            interactions.insert(tx, [interaction(str(n), duration_ms=n / 7) for n in range(calls)])
            source_positions.move(tx, [moved(None, calls)])
        with store.write() as tx:
            runs.insert(tx, run("r"))
            runs.insert(tx, run("s"))
    return path


def imported(lakes: Lakes, name: str, source: Path, clock: Clock, batch_rows: int = 100) -> Imported:
    """Import into the lake of a database as `driftd lake import` does."""
    url, data = lakes.server.url(name), lakes.data
    return import_file(
        url, data, source, clock=clock, memory_limit_mb=512, threads=1, batch_rows=batch_rows, expires_s=1.0
    )


def compared(lakes: Lakes, name: str, source: Path) -> dict[str, ComparedTable]:
    """Compare as `driftd lake compare` does."""
    found = compare_file(lakes.server.url(name), lakes.data, source, memory_limit_mb=512, threads=1)
    return {one.table: one for one in found}


def different(lakes: Lakes, name: str, source: Path) -> dict[str, tuple[str, ...]]:
    """Return the columns that differ, by table."""
    return {table: one.columns for table, one in compared(lakes, name, source).items() if not one.equal}
