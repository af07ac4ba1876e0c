"""What holds for every test."""

import logging
from collections.abc import Iterator

import pytest
from _pytest.nodeid import NodeId
from hypothesis import settings

settings.register_profile("driftd", deadline=None)  # a first import or a busy machine is no failure of what is tested
settings.load_profile("driftd")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the groups of pytest-xdist 3.8, which names them in an attribute that pytest 9.2 no longer reads.

    Without it `--dist loadgroup` spreads a group over all workers, and each of them starts the group's broker.
    """
    for item in items:
        grouped = item.__dict__.get("_nodeid")
        if grouped is not None:
            item._id = NodeId.parse(grouped)


@pytest.fixture(autouse=True)
def _log_levels_as_before() -> Iterator[None]:
    """A command that runs inside the test process configures logging for all of it: undo that for the next test."""
    root = logging.getLogger()
    level, handlers = root.level, set(root.handlers)
    levels = {name: each.level for name, each in _named_loggers()}
    yield
    root.setLevel(level)
    for handler in set(root.handlers) - handlers:
        if type(handler) is logging.StreamHandler:  # those of pytest are of other classes, and come and go by phase
            root.removeHandler(handler)
    for name, each in _named_loggers():
        each.setLevel(levels.get(name, logging.NOTSET))


def _named_loggers() -> list[tuple[str, logging.Logger]]:
    return [
        (name, each) for name, each in logging.Logger.manager.loggerDict.items() if isinstance(each, logging.Logger)
    ]
