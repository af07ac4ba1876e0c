"""A dashboard in this process, connected to a real server on loopback."""

import html
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import dashboards
from tests.asgi_server import serving

from .fake_daemon import FakeDaemon
from .server import build

APP = Path(dashboards.__file__).parent / "app.py"
OpenPage = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def _installed_components_are_searched_once() -> Iterator[None]:
    """Cache Streamlit's search for components: for each page it reads the metadata of every installed package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenPage]:
    """Return a function: `open_page(daemon)` opens the overview, `open_page(daemon, "failure_modes")` another page.
    `query` sets the query of the address.

    An address can be given instead of a daemon, for example one where no daemon answers.
    """
    st.cache_data.clear()  # the cache may still have the state of another daemon at the same port
    with ExitStack() as servers:

        def open_at(
            daemon: FakeDaemon | str,
            page: str = "overview",
            query: dict[str, str] | None = None,
            token_file: Path | None = None,
        ) -> AppTest:
            url = daemon if isinstance(daemon, str) else servers.enter_context(serving(build(daemon)))
            token = ["--token-file", str(token_file)] if token_file is not None else []
            monkeypatch.setattr(sys, "argv", ["app.py", "--url", url, *token])
            app = AppTest.from_file(str(APP), default_timeout=60)
            if page != "overview":
                app.switch_page(f"screens/{page}.py")
            for name, value in (query or {}).items():
                app.query_params[name] = value
            app.run()
            assert not app.exception, [error.value for error in app.exception]
            return app

        yield open_at


def everything(app: AppTest) -> str:
    """Return all text of the page."""
    loud = (app.error, app.warning, app.info, app.success)
    kinds = (app.title, app.header, app.subheader, *loud, app.markdown, app.caption)
    return "\n".join(str(element.value) for elements in kinds for element in elements)


def commands(app: AppTest) -> list[str]:
    """Return the shell commands of the page."""
    found = (re.search(r"<pre [^>]*><code>(.*)</code></pre>", str(box.value)) for box in app.html)
    return [html.unescape(match.group(1)) for match in found if match is not None]
