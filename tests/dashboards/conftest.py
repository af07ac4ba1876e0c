"""A dashboard in this process that looks at a real server on loopback."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dashboards
from tests.asgi_server import serving

from .server import build
from .world import World

APP = Path(dashboards.__file__).parent / "app.py"
Look = Callable[..., AppTest]


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Iterator[Look]:
    """`look(world)` opens the overview, `look(world, "failure_modes")` another page, `query` sets the address' query.

    Instead of a world an address can be given, where perhaps nobody answers.
    """
    st.cache_data.clear()  # a port may come again within the cache's time, under another world
    with ExitStack() as servers:

        def open_page(
            world: World | str,
            page: str = "overview",
            query: dict[str, str] | None = None,
            token_file: Path | None = None,
        ) -> AppTest:
            url = world if isinstance(world, str) else servers.enter_context(serving(build(world)))
            token = ["--token-file", str(token_file)] if token_file is not None else []
            monkeypatch.setattr(sys, "argv", ["app.py", "--url", url, *token])
            app = AppTest.from_file(str(APP), default_timeout=60)
            for name, value in (query or {}).items():
                app.query_params[name] = value
            app.run()
            if page != "overview":
                app.switch_page(f"screens/{page}.py").run()
            assert not app.exception, [error.value for error in app.exception]
            return app

        yield open_page


def everything(app: AppTest) -> str:
    """All that the page says in words, in one text."""
    loud = (app.error, app.warning, app.info, app.success)
    kinds = (app.title, app.header, app.subheader, *loud, app.markdown, app.caption)
    return "\n".join(str(element.value) for elements in kinds for element in elements)
