"""What holds for every test."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("driftd", deadline=None)  # a first import or a busy machine is no failure of what is tested
settings.load_profile("driftd")


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
