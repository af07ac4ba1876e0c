import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from monitor.errors import ConfigError
from monitor.servers import Servers, Site


def answering(word: str) -> Starlette:
    async def answer(_request: Request) -> PlainTextResponse:
        return PlainTextResponse(word)

    return Starlette(routes=[Route("/", answer)])


def test_two_sites_answer_on_their_own_ports() -> None:
    sites = [Site(key=k, app=answering(k), host="127.0.0.1", port=0) for k in ("api", "otlp")]
    servers = Servers(sites)
    servers.start()
    try:
        assert {key: httpx.get(url).text for key, url in servers.addresses.items()} == {"api": "api", "otlp": "otlp"}
    finally:
        servers.stop()


def test_after_a_stop_nothing_listens() -> None:
    servers = Servers([Site(key="api", app=answering("x"), host="127.0.0.1", port=0)])
    servers.start()
    httpx.get(servers.addresses["api"])
    servers.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(servers.addresses["api"])


def test_a_port_in_use_stops_the_start_with_its_key() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"api: cannot listen on 127.0.0.1:{port}"):
            Servers([Site(key="api", app=answering("x"), host="127.0.0.1", port=port)])
