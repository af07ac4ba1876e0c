"""The examples in the study's docstrings are true: the suite collects no doctests outside the packages."""

import doctest
from types import ModuleType

import pytest

from bench.drift_study import cases, markdown, runner


@pytest.mark.parametrize("module", [cases, markdown, runner], ids=lambda module: module.__name__)
def test_the_examples_run(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
