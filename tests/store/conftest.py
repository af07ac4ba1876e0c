from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.store.engine.database import Store, Tx
from tests.store.build import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "driftd.duckdb"


@pytest.fixture
def store(path: Path, clock: HandClock) -> Iterator[Store]:
    opened = Store.open(path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """A write transaction for the whole test, for tests of rows."""
    with store.write() as opened:
        yield opened
