"""A client that disconnects interrupts its query, over a real server."""

import threading
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.middleware import Middleware

from monitor.api.disconnect import InterruptOnDisconnect
from monitor.errors import ReadInterrupted
from monitor.servers import HttpListener, Servers
from monitor.store.engine.database import Store
from tests.store.build import HandClock
from tests.store.engine.test_interruption import PATIENCE_S, read_long


class Pages:
    """An application with a slow page and a fast page."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.began, self.ended = threading.Event(), threading.Event()
        self.error: Exception | None = None
        self.app = FastAPI(middleware=[Middleware(InterruptOnDisconnect)])
        self.app.get("/long")(self._long)
        self.app.get("/quick")(lambda: {"answer": 42})

    def _long(self) -> None:
        try:
            with self._store.read() as tx:
                self.began.set()
                read_long(tx)
        except ReadInterrupted as error:
            self.error = error
            raise
        finally:
            self.ended.set()


def test_the_query_of_a_client_that_left_ends(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "driftd.duckdb", clock=HandClock())
    pages = Pages(store)
    servers = Servers([HttpListener(key="api", app=pages.app, host="127.0.0.1", port=0)])
    servers.start()
    try:
        with httpx.Client(base_url=servers.addresses["api"]) as client:
            assert client.get("/quick").json() == {"answer": 42}
            with pytest.raises(httpx.ReadTimeout):
                client.get("/long", timeout=1.0)
            assert pages.began.is_set()
            assert pages.ended.wait(PATIENCE_S)
            assert client.get("/quick").json() == {"answer": 42}
    finally:
        servers.stop()
        store.close()
    assert isinstance(pages.error, ReadInterrupted)
