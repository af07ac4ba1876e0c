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
def running_demo(*, any_ports: bool) -> Iterator[RunningDemo]:
    """Yield the demo after its story. It uses this machine only. With `any_ports`, several can start at once; its
    messages then have no links to the dashboard. Otherwise it has the usual ports, which the pages show.
    """
    with ExitStack() as teardown:
        stage, extras = raise_stage(teardown, data=None, seed=1, stay=not any_ports)
        play(stage, print)
        url = extras.dashboard_url
        if url is None:
            from tests.dashboards.browser import dashboard

            url = teardown.enter_context(dashboard(stage.addresses.api, extras.token_path))
        facts = read_facts(stage.api, deployment=DEPLOYMENT, frozen=FROZEN, dynamic=DYNAMIC)
        yield RunningDemo(url=url, facts=facts)
