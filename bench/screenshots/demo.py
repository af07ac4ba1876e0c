"""The demo without its terminal: the story is played once, and its daemon and its dashboard run until the end."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bench.screenshots.screens import Facts, read_facts
from monitor.cli.demo.settings import DEPLOYMENT, DYNAMIC, FROZEN
from monitor.cli.demo.stage import raise_stage
from monitor.cli.demo.story import play


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningDemo:
    url: str
    facts: Facts


@contextmanager
def running_demo() -> Iterator[RunningDemo]:
    """Yield the demo after its story. It uses this machine only."""
    with ExitStack() as teardown:
        stage, extras = raise_stage(teardown, data=None, seed=1, stay=True)
        play(stage, print)
        assert extras.dashboard_url is not None, "a stage that stays has a dashboard"
        facts = read_facts(stage.api, deployment=DEPLOYMENT, frozen=FROZEN, dynamic=DYNAMIC)
        yield RunningDemo(url=extras.dashboard_url, facts=facts)
