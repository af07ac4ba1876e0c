"""A daemon with a hundred deployments in every state, and its dashboard. The answers of its API are made up."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_deployments() -> Iterator[str]:
    """Yield the address of the dashboard."""
    from tests.asgi_server import serving
    from tests.dashboards.browser import dashboard
    from tests.dashboards.fake_daemon import regression
    from tests.dashboards.overview_items import hundred
    from tests.dashboards.server import build

    pages = regression()
    pages.overview = hundred()
    with serving(build(pages)) as daemon, dashboard(daemon) as url:
        yield url
