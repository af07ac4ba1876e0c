import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from tests.store.build import HandClock
from tests.store.lake.lakes import Lakes, running_lakes
from tests.store.lake.not_yet import NEVER, NOT_YET, reason_of

ON_LAKE = os.environ.get("STORE") == "lake"
"""Whether the fixture `store` is a lake: `make test-lake`. Only the tests that use it run then."""

OF_FILES = Path(__file__).parent / "backup"  # backups and exports copy a file


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not ON_LAKE:
        return
    folder = Path(__file__).parent
    ours = [item for item in items if item.path.is_relative_to(folder)]
    on_store = [item for item in ours if isinstance(item, pytest.Function) and _runs_on_a_lake(item)]
    config.hook.pytest_deselected(items=[item for item in ours if item not in on_store])
    items[:] = on_store
    for item in on_store:
        file = item.path.relative_to(folder).as_posix()
        if reason := reason_of(file, item.name, NEVER):
            item.add_marker(pytest.mark.skip(reason=reason))
        if reason := reason_of(file, item.name, NOT_YET):
            item.add_marker(pytest.mark.xfail(reason=reason))


def _runs_on_a_lake(item: pytest.Function) -> bool:
    """Return whether a test uses the fixture `store`, and neither its path nor what only a file has."""
    named = item.function.__annotations__
    if "lakes" in item.fixturenames:
        return True
    if OF_FILES in item.path.parents:
        return False
    return "store" in item.fixturenames and "path" not in named and named.get("store") is not FileStore


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "driftd.duckdb"


@pytest.fixture(scope="session")
def lakes() -> Iterator[Lakes]:
    """Lakes on a PostgreSQL server of this session."""
    with running_lakes() as started:
        yield started


@pytest.fixture
def store(request: pytest.FixtureRequest, path: Path, clock: HandClock) -> Iterator[Store]:
    if ON_LAKE:
        with request.getfixturevalue("lakes").new(clock, any_order="tx" in request.fixturenames) as lake:
            yield lake
        return
    opened = Store.open(path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """A write transaction for the whole test, for tests of rows."""
    with store.write() as opened:
        yield opened
