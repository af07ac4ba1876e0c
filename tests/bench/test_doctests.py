"""The examples in the study's docstrings are true: the suite collects no doctests outside the packages."""

import doctest
from types import ModuleType

import pytest

from bench import growth
from bench.drift_study import cases, decisions, figures_page, markdown, runner, sources
from bench.replay_study import jobs, machine, profile, programs, questions
from bench.replay_study import report as speed_report

MODULES = [
    cases,
    decisions,
    figures_page,
    growth,
    markdown,
    runner,
    sources,
    jobs,
    machine,
    profile,
    programs,
    questions,
    speed_report,
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_run(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
