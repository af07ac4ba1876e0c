"""Fixtures and settings of all tests."""

import gc
import logging
import re
import shutil
import ssl
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

import certifi
import duckdb
import pytest
from _pytest.nodeid import NodeId
from hypothesis import settings

from monitor.store.engine import file_store
from monitor.store.engine.connect import connect
from tests.components import can_match, is_component, is_nightly
from tests.properties import examples

TESTS: Final = Path(__file__).parent

# No deadline: a slow first import or a busy machine must not fail a test.
settings.register_profile("driftd", deadline=None, max_examples=examples(100))
settings.load_profile("driftd")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import a file without a test that `-m` selects."""
    if collection_path.suffix != ".py":
        return None
    path = PurePosixPath(collection_path.relative_to(TESTS))
    return None if can_match(path, config.option.markexpr) else True


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of the slow slices, see tests/components.py."""
    if not item.path.is_relative_to(TESTS):
        return
    path = PurePosixPath(item.path.relative_to(TESTS))
    if is_component(path):
        item.add_marker("component")
    if is_nightly(path, item.name):
        item.add_marker("nightly")
    if isinstance(item, pytest.Function) and not item.get_closest_marker("xdist_group") and _shares_a_fixture(item):
        item.add_marker(pytest.mark.xdist_group(re.sub(r"\W+", "-", str(path))))


def _shares_a_fixture(item: pytest.Function) -> bool:
    """Return whether a fixture serves the whole module: if one worker runs the module, it is set up once."""
    definitions = item._fixtureinfo.name2fixturedefs.values()
    return any(each.scope == "module" for found in definitions for each in found)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the groups of pytest-xdist 3.8, which names them in an attribute that pytest 9.2 no longer reads.

    Without it `--dist loadgroup` spreads a group over all workers, and each of them starts the group's broker.
    """
    for item in items:
        grouped = item.__dict__.get("_nodeid")
        if grouped is not None:
            item._id = NodeId.parse(grouped)


def pytest_collection_finish() -> None:
    """Exclude the imported modules and the collected tests from garbage collection: one takes 0.7 s with them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _restore_log_levels() -> Iterator[None]:
    """Restore the logging configuration after a test, because a command configures it for the whole process."""
    root = logging.getLogger()
    level, handlers = root.level, set(root.handlers)
    levels = {name: each.level for name, each in _named_loggers()}
    yield
    _set_level(root, level)
    for handler in set(root.handlers) - handlers:
        if (
            type(handler) is logging.StreamHandler
        ):  # the handlers of pytest have other classes and change with the phase
            root.removeHandler(handler)
    for name, each in _named_loggers():
        _set_level(each, levels.get(name, logging.NOTSET))


def _set_level(logger: logging.Logger, level: int) -> None:
    """Set a level that changed: each call of `setLevel` clears the caches of all loggers, 10 ms for a few hundred."""
    if logger.level != level:
        logger.setLevel(level)


def _named_loggers() -> list[tuple[str, logging.Logger]]:
    return [
        (name, each) for name, each in logging.Logger.manager.loggerDict.items() if isinstance(each, logging.Logger)
    ]


@pytest.fixture(scope="session", autouse=True)
def _new_stores_are_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Open a new store from a copy of a migrated file, which takes a tenth of the time of creating the tables.

    Tests of the migrations call `connect` and `migrate` themselves, and processes that tests start create the tables.
    """
    migrated = tmp_path_factory.mktemp("migrated") / "driftd.duckdb"

    def connect_to_copy(path: Path, memory_limit_mb: int, now: datetime) -> duckdb.DuckDBPyConnection:
        if not migrated.exists():
            connect(migrated, memory_limit_mb, now).close()
        if not path.exists() and path.parent.is_dir():
            shutil.copyfile(migrated, path)
        return connect(path, memory_limit_mb, now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_store, "connect", connect_to_copy)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """Cache the CA certificates: each client of httpx reads them in 25 ms, and tests use plain HTTP."""
    original = ssl.create_default_context
    default: list[ssl.SSLContext] = []

    def cached(*args: Any, **options: Any) -> ssl.SSLContext:
        if args or options != {"cafile": certifi.where()}:
            return original(*args, **options)
        if not default:
            default.append(original(**options))
        return default[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cached)
        yield
