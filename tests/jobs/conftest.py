"""A store and its clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.store.engine.database import Store
from tests.store.build import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def store(tmp_path: Path, clock: HandClock) -> Iterator[Store]:
    opened = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    yield opened
    opened.close()
